"""E-mail addresses and IP addresses in texts."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final, NamedTuple

from recollect.domain.privacy.labels import Label, is_amount, label_before

_LOCAL: Final = r"\w'+~.-"
"""Other marks are allowed, too, and far more often stand before an address: `to=jan@…`."""
_AT: Final = re.compile(rf"(?<=[\"{_LOCAL}])(?:@|%40)(?=\w)")
_LOCAL_BACKWARDS: Final = re.compile(rf"\"[^\"\n]{{1,62}}\"|[{_LOCAL}]{{1,64}}")
_DOMAIN: Final = re.compile(r"\w[\w-]{0,62}(?:\.\w[\w-]{0,62}){1,8}+")
_TOP_LEVEL: Final = re.compile(r"[^\W\d_]{2,63}|xn--[a-z0-9-]{2,59}", re.IGNORECASE)
_LONGEST_LOCAL: Final = 64
_NOT_FIRST: Final = "'.~-"
_IPV4: Final = re.compile(r"(?<![^\W_])(?<!\d\.)(?:\d{1,3}\.){3}\d{1,3}(?![^\W_]|\.\d|,\d)")
_IPV6: Final = re.compile(
    r"(?<![^\W_])(?<!:)(?:[0-9A-Fa-f]{0,4}:){2,7}+[0-9A-Fa-f.]{0,15}+(?![^\W_]|:)"
)
_FEWEST_GROUPS: Final = 3
_LONG_GROUP: Final = 3


class Address(NamedTuple):
    """Where an address is in a text, and its one way of being written."""

    start: int
    end: int
    written: str


def emails_in(text: str) -> Iterator[Address]:
    """The e-mail addresses in a text."""
    done = 0
    for at in _AT.finditer(text):
        domain = _domain_at(text, at.end())
        if not domain or at.start() < done:
            continue
        before = text[max(done, at.start() - _LONGEST_LOCAL) : at.start()]
        local = _LOCAL_BACKWARDS.match(before[::-1])
        name = local[0][::-1].lstrip(_NOT_FIRST) if local else ""
        if name:
            done = at.end() + len(domain)
            written = f"{name}@{domain}".lower()
            yield Address(at.start() - len(name), done, written)


def _domain_at(text: str, start: int) -> str:
    """The domain that begins at a place, up to its last part that can be a top-level domain."""
    found = _DOMAIN.match(text, start)
    labels = found[0].split(".") if found else []
    while len(labels) > 1:
        labels[-1] = labels[-1].rstrip("_-")
        if _TOP_LEVEL.fullmatch(labels[-1]):
            return ".".join(labels)
        labels.pop()
    return ""


def ip_addresses_in(text: str) -> Iterator[Address]:
    """The addresses of computers in a text, of either version."""
    if text.count(".") > 2:  # noqa: PLR2004
        for found in _IPV4.finditer(text):
            if written := _ipv4(text, found):
                yield Address(found.start(), found.end(), written)
    if text.count(":") > 1:
        for found in _IPV6.finditer(text):
            address = found[0].rstrip(".")
            if written := _ipv6(address):
                yield Address(found.start(), found.start() + len(address), written)


def _ipv4(text: str, found: re.Match[str]) -> str:
    """The address without leading zeros; empty if it is a version, an amount or too large."""
    numbers = [int(number) for number in found[0].split(".")]
    if max(numbers) > 255:  # noqa: PLR2004
        return ""
    is_other = label_before(text, found.start()) is Label.VERSIONS or is_amount(text, *found.span())
    return "" if is_other else str(IPv4Address(bytes(numbers)))


def _ipv6(address: str) -> str:
    """The address in its shortest form; empty if it is a time, a cast in SQL, or a scope of C++."""
    groups = [group for group in address.split(":") if group]
    is_short = len(groups) < _FEWEST_GROUPS
    is_named = is_short and not all(_has_digit(group) for group in groups)
    if not groups or is_named or max(map(len, groups)) < _LONG_GROUP:
        return ""
    try:
        return str(IPv6Address(address))
    except AddressValueError:
        return ""


def _has_digit(group: str) -> bool:
    return any(character.isdigit() for character in group)
