import pytest

# So that a failing contract shows the values it compared, as a test module does.
pytest.register_assert_rewrite("conformance.contracts")
