"""Secrets are told from the numbers and words that only look like one; all values are made up."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.reading.secrets import holds_secret, secrets_in
from support.tables import for_each

_TOKENS = """
my api key is sk-proj-abc123DEF456ghi789
ghp_16C7e42F292c6912E7710c838347Ae178B4a
glpat-abcdefghij0123456789
xoxb-1234567890-abcdefghij
AKIAIOSFODNN7EXAMPLE
eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc
export OPENWEATHER_KEY=9f3aa0b1c2d3fake
the token is a8f5f167f44f4964e6c998dee827110c
postgres://sam:pw@db.example/sales
-----BEGIN RSA PRIVATE KEY-----
"""
_TOLD = """
password: x
the password for the router is hunter2
The PIN is 4711
PIN 4711
the alarm code is 4417
These are my 2FA recovery codes: 0000-1111, 2222-3333
mijn wachtwoord is zomer
Het wifiwachtwoord van ons kantoor is Zomer2024!
De code van de voordeur is 2580
Passwort: geheim
das WLAN-Passwort lautet Sonnenblume
Der Türcode ist 2580
mon mot de passe est soleil
Mot de passe : soleil42
Le code de mon alarme est 4417
mi contraseña es gato
la clave del wifi de la oficina es Merluza_2024#
El código de la puerta es 2580
Mi número de pasaporte es AAB123456
Mijn paspoortnummer is NW1234567
mijn wachtwoord van Netflix Zomer2024! is
dat mein Passwort für den Router Kat_zen ist
my Netflix password since last week summer2024
my login for the bank is jan85 / Kat_12
mijn login voor de bank jan85 is
Zugangsdaten: jan85 / Kat_12
mon code secret est 4821
mijn geheime code is 4821
Mein Geheimcode ist 4821
mi código secreto es 4821
my secret code is 4821
"""
_NUMBERS = """
4111 1111 1111 1111
5555555555554444
2223003122003222
378282246310005
3782 822463 10005
6011-1111-1111-1117
30569309025904
3530111333300000
NL91 ABNA 0417 1643 00
nl91abna0417164300
Mijn rekening is NL91ABNA0417164300.
DE89 3704 0044 0532 0130 00 ist mein Konto
GB82 WEST 1234 5698 7654 32
FR14 2004 1010 0505 0001 3M02 606
ES91 2100 0418 4502 0005 1332
BE68 5390 0754 7034
mijn BSN is 111222333
123456782
BSN: 123.456.782
SSN 078-05-1120
Steuer-ID 86 095 742 719
65 170839 J 003
1 85 05 78 006 084 91
12345678Z
12.345.678-Z
X1234567L
X-1234567-L
AB 12 34 56 C
QQ123456C is no real one, AB123456C is
85.07.30-033.28
"""
_HARMLESS = """
call me at +31 6 12345678
06-12345678
my phone number is 0612345678
el número es 654 321 987
EAN 4006381333931
ISBN 978-3-16-148410-0
ISBN 9783161484100
IMEI 356938035643809
version 12.4.1 of PostgreSQL
postcode 1234 AB
my postal code is 90210
in 2024 we sold 1,234,567 units
the budget is 250 000 000
klantnummer 100200300
order 1234567890123456
4111 1111 1111 1112
NL91 ABNA 0417 1643 01
NL is a country and DE89 is a road
12345678A
000-12-3456
the key is to stay calm
our key account manager is Sam
the key column is customer_id_2024
our password manager is Bitwarden
I forgot my password
My login page is broken
the login for Office365 needs a phone
we login at 09:30 with our phones
the code name is Falcon
the secret ingredient is paprika
Ik ben mijn wachtwoord vergeten
my password needs 12 characters and a sign
ik wijzig mijn wachtwoord elke 90 dagen
ask for a password by writing to help@example.org
every password has a 12-character minimum
mijn wachtwoord is verlopen
das Passwort ist falsch
j'ai oublié mon mot de passe
je passe au français : je suis espagnole
la clé est sous le tapis
2024-05-12 10:00:00
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
123e4567-e89b-12d3-a456-426614174000
my passport expires on 12-05-2030
the dress code is smart casual since 2019
we meet at 10:30 in room 4711
https://example.org:8080/path
"""


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


@for_each("text", [*_lines(_TOKENS), *_lines(_TOLD), *_lines(_NUMBERS)])
def test_a_secret_is_found(text: str) -> None:
    assert holds_secret(text)


@for_each("text", _lines(_HARMLESS))
def test_what_only_looks_like_a_secret_is_none(text: str) -> None:
    assert not holds_secret(text)


def test_only_the_secret_is_marked() -> None:
    text = "I live in Lugo, my password is Merluza_2024#, and I like tea."
    assert [text[start:end] for start, end in secrets_in(text)] == ["password is Merluza_2024#"]


@for_each("piece", ["password ", "key a ", "12 ", "4111 1111 1111 1112 "])
def test_a_list_of_what_may_be_secrets_counts_as_one(piece: str) -> None:
    text = piece * 3_000
    assert next(iter(span for span in secrets_in(text) if span == (0, len(text))), None)


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_card_is_found_in_any_text(before: str, after: str) -> None:
    assert holds_secret(f"{before}\n4111 1111 1111 1111\n{after}")
