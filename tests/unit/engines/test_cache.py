from recollect.engines.postgres.embedded.programs import cache_megabytes, memory_at_hand
from support.tables import for_each


@for_each(("memory", "cache"), [(2**28, 128), (2**30, 256), (3 * 2**30, 768), (2**40, 1024)])
def test_the_cache_is_a_quarter_of_the_memory_within_reason(memory: int, cache: int) -> None:
    assert cache_megabytes(memory) == cache


def test_the_available_memory_is_a_plausible_size() -> None:
    assert 2**26 < memory_at_hand() < 2**50
