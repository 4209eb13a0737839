"""The kinds of personal data that are found in texts."""

from enum import StrEnum


class PersonalDataKind(StrEnum):
    """What a found piece of personal data is."""

    EMAIL = "email"
    PHONE = "phone"
    IBAN = "iban"
    CARD = "card"
    BSN = "bsn"
    """The Dutch citizen service number."""
    SSN = "ssn"
    """The social security number of the United States."""
    NATIONAL_ID = "national_id"
    """Other national numbers: German, French, Spanish, British and Belgian ones."""
    IP = "ip"
    NAME = "name"
    """The name of a person; only a `NameFinder` finds it."""
