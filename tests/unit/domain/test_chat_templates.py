"""What a chat template demands is told by the model's family, or by the setting."""

from recollect.domain.model_names import ChatTemplate
from support.tables import for_each


@for_each(
    ("model", "template"),
    [
        (None, "plain"),
        ("gpt-4o", "plain"),
        ("Qwen/Qwen3.5-9B", "plain"),
        ("llama3.1:8b", "plain"),
        ("mistral", "alternating"),
        ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "alternating"),
        ("mistralai/Mistral-7B-Instruct-v0.2", "no_system"),
        ("mixtral:8x7b", "alternating"),
        ("meta-llama/Llama-2-7b-chat-hf", "alternating"),
        ("google/gemma-2-9b-it", "no_system"),
        ("gemma3:4b", "no_system"),
    ],
)
def test_the_chat_template_follows_from_the_model_family(model: str | None, template: str) -> None:
    assert ChatTemplate.AUTO.of(model) == template


def test_a_template_that_was_chosen_is_kept_for_every_model() -> None:
    assert ChatTemplate.PLAIN.of("gemma3:4b") is ChatTemplate.PLAIN
    assert ChatTemplate.NO_SYSTEM.of("gpt-4o") is ChatTemplate.NO_SYSTEM
