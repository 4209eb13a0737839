from recollect.domain.summary.candidates import Utterance
from recollect.domain.summary.keeping import keep_facts

EARLIER = (
    "The user is Anna, who owns the shop Blue Door with 4 employees. "
    "She prefers short answers without tables. "
    "The assistant explained how stock is counted."
)
NEW = "The user asked how returns work. The assistant explained the steps."


def words(text: str) -> int:
    return len(text.split())


def summary_with_facts(
    summary: str, *, earlier: str = EARLIER, limit: int = 200, users: str = ""
) -> str:
    said = [Utterance(speaker="user", text=users)] if users else []
    return keep_facts(summary, earlier=earlier, utterances=said, limit=limit, count=words)


def test_names_figures_and_wishes_that_a_summary_forgot_stay_beside_it() -> None:
    summary = summary_with_facts(NEW)

    assert "Anna" in summary
    assert "4 employees" in summary
    assert "prefers short answers" in summary
    assert NEW in summary


def test_a_sentence_without_facts_may_be_forgotten() -> None:
    assert "stock is counted" not in summary_with_facts(NEW)


def test_a_summary_that_forgot_nothing_stays_as_it_is() -> None:
    complete = f"Anna of Blue Door (4 employees) prefers short answers without tables. {NEW}"

    assert summary_with_facts(complete) == complete


def test_user_statements_that_the_model_left_out_are_appended() -> None:
    summary = summary_with_facts(
        NEW, earlier="", users="My name is Tom. I have 12 cows. Can you help me?"
    )

    assert "Tom" in summary
    assert "12 cows" in summary
    assert "help" not in summary


def test_dutch_user_statements_that_the_model_left_out_are_appended() -> None:
    summary = summary_with_facts(
        "Er is gepraat over omzet.", earlier="", users="Ik heet Tom. Ik wil korte zinnen."
    )

    assert "Tom" in summary
    assert "korte zinnen" in summary


def test_a_short_figure_of_something_else_does_not_stand_for_a_lost_one() -> None:
    summary = summary_with_facts(
        "The meeting is on 12 March.", earlier="", users="We keep 12 cows in the barn."
    )

    assert "12 cows" in summary


def test_what_a_user_states_beside_a_question_is_kept() -> None:
    summary = summary_with_facts(
        NEW, earlier="", users="What can I bake, given that my son Milo is allergic to nuts?"
    )

    assert "Milo" in summary


def test_a_question_about_figures_is_nothing_that_a_user_states() -> None:
    assert (
        summary_with_facts(NEW, earlier="", users="What were the sales of 2023 in Utrecht?") == NEW
    )


def test_a_summary_is_never_over_its_limit_however_often_facts_are_lost() -> None:
    summary = ""
    for turn in range(40):
        summary = summary_with_facts(
            f"Talk number {turn} was about things.",
            earlier=summary,
            limit=40,
            users=f"My friend Person{turn} has {turn + 100} bikes.",
        )
        assert words(summary) <= 40

    assert "Person39" in summary


def test_the_user_stays_when_figures_of_answers_have_to_give_way() -> None:
    rows = " ".join(f"Region {n} sold {n * 1111} units in total." for n in range(1, 60))
    summary = summary_with_facts(NEW, earlier=f"{EARLIER} {rows}", limit=60)

    assert "Anna" in summary
    assert "prefers short answers" in summary
    assert words(summary) <= 60


def test_the_same_fact_is_not_kept_twice() -> None:
    summary = summary_with_facts(NEW, earlier="The user is Anna. The user is called Anna.")

    assert summary.count("Anna") == 1
