"""Made-up personal data of each kind, with check digits that fit."""

from hypothesis import strategies as st

_DIGITS = "0123456789"


def _luhn(digits: str) -> str:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[::-2])
    total = sum(doubled) + sum(int(digit) for digit in digits[-2::-2])
    return digits + str(-total % 10)


def _iban(country: str, account: str) -> str:
    value = int("".join(str(int(character, 36)) for character in f"{account}{country}00"))
    return f"{country}{98 - value % 97:02}{account}"


def _bsn(digits: str) -> str | None:
    check = sum(int(d) * w for d, w in zip(digits, range(9, 1, -1), strict=True)) % 11
    return None if check == 10 else f"{digits}{check}"


def _digits(count: int) -> st.SearchStrategy[str]:
    return st.text(_DIGITS, min_size=count, max_size=count)


_NAMES = st.from_regex(r"[a-z][a-z0-9]{1,9}([._+-][a-z0-9]{1,9}){0,2}", fullmatch=True)
EMAILS = st.builds(
    lambda name, host, top: f"{name}@{host}.{top}",
    _NAMES,
    st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True),
    st.sampled_from(["nl", "com", "co.uk", "museum"]),
)
IBANS = st.one_of(
    st.builds(lambda digits: _iban("NL", f"ABNA{digits}"), _digits(10)),
    st.builds(lambda digits: _iban("DE", digits), _digits(18)),
    st.builds(lambda digits: _iban("BE", digits), _digits(12)),
)
CARDS = st.one_of(
    st.builds(lambda digits: _luhn(f"4{digits}"), _digits(14)),
    st.builds(lambda digits: _luhn(f"55{digits}"), _digits(13)),
    st.builds(lambda digits: _luhn(f"37{digits}"), _digits(12)),
)
BSNS = (
    st.builds(_bsn, st.from_regex(r"[123][0-9]{7}", fullmatch=True))
    .filter(bool)
    .map(str)
    .filter(lambda digits: len(set(digits)) > 1)
)
SSNS = st.from_regex(r"[1-5][0-9]{2}-[1-9][0-9]-[1-9][0-9]{3}", fullmatch=True)
IPV4S = st.builds(
    lambda numbers: ".".join(map(str, numbers)), st.tuples(*[st.integers(1, 254)] * 4)
)
IPV6S = st.builds(
    lambda groups: "2001:db8:" + ":".join(f"{group:x}" for group in groups),
    st.tuples(*[st.integers(1, 0xFFFF)] * 6),
)
PHONES = st.one_of(
    st.builds(lambda digits: f"+316{digits}", _digits(8)),
    st.builds(lambda digits: f"06-{digits}", _digits(8)),
    st.builds(lambda digits: f"+49 171 {digits}", _digits(7)),
    st.builds(lambda digits: f"(415) 555-{digits}", _digits(4)),
)
KINDS = {
    "email": EMAILS,
    "phone": PHONES,
    "iban": IBANS,
    "card": CARDS,
    "bsn": BSNS,
    "ssn": SSNS,
    "ipv4": IPV4S,
    "ipv6": IPV6S,
}
VALUES = st.one_of(*KINDS.values())
