"""What counts as personal data, and what only looks like it."""

import pytest

from recollect.domain.privacy.personal_data import personal_data_in
from support.tables import for_each

FOUND = {
    "email": {
        "Mail jan.de-vries+werk@acme.co.uk.": "jan.de-vries+werk@acme.co.uk",
        "SELECT 1 WHERE mail='o''neil@acme.ie'": "o''neil@acme.ie",
        "WHERE email LIKE '%jan@acme.nl%'": "jan@acme.nl",
        "https://x.nl/?to=jan%40acme.nl&x=1": "jan%40acme.nl",
        "to=jan@acme.nl": "jan@acme.nl",
        "Schreib an jörg@bücher.de, bitte": "jörg@bücher.de",
        "jan＠acme.nl": "jan＠acme.nl",  # noqa: RUF001  # as some keyboards write it
        '"jan de vries"@acme.nl': '"jan de vries"@acme.nl',
        "mailto:jan@acme.nl?subject=hi": "jan@acme.nl",
    },
    "phone": {
        "Bel +31 6 1234 5678 even": "+31 6 1234 5678",
        "+31 (0)6 12345678": "+31 (0)6 12345678",
        "0031612345678": "0031612345678",
        "mijn nummer: 06-12345678": "06-12345678",
        "0612345678 2 keer gebeld": "0612345678",
        "020-1234567": "020-1234567",
        "(020) 123 4567": "(020) 123 4567",
        "0297 123456": "0297 123456",
        "Bel 02 123 45 67 of": "02 123 45 67",
        "03/123.45.67": "03/123.45.67",
        "0478 12 34 56": "0478 12 34 56",
        "Ruf an: 030 12345678": "030 12345678",
        "0171-1234567": "0171-1234567",
        "Tel. 0221/123456": "0221/123456",
        "015112345678": "015112345678",
        "Appelle le 06 12 34 56 78": "06 12 34 56 78",
        "06.12.34.56.78": "06.12.34.56.78",
        "06\u00a012\u00a034\u00a056\u00a078": "06\u00a012\u00a034\u00a056\u00a078",
        "612 34 56 78": "612 34 56 78",
        "91 123 45 67": "91 123 45 67",
        "mi móvil es 612 345 678": "612 345 678",
        "teléfono: 612345678": "612345678",
        "(415) 555-2671": "(415) 555-2671",
        "415-555-2671": "415-555-2671",
        "415.555.2671": "415.555.2671",
        "1-800-555-1234": "1-800-555-1234",
        "call me at 4155552671": "4155552671",
        "+1 415 555 2671": "+1 415 555 2671",
        "020 7946 0958": "020 7946 0958",
        "07700 900123": "07700 900123",
        "07700900123": "07700900123",
        "+44\u202f20\u202f7946\u202f0958": "+44\u202f20\u202f7946\u202f0958",
        "+351 912 345 678": "+351 912 345 678",
        "tel:0612345678": "0612345678",
        "WHERE phone = '0612345678'": "0612345678",
    },
    "iban": {
        "IBAN NL91ABNA0417164300.": "NL91ABNA0417164300",
        "paid 20240101-AD85452BBF24B7F1E29977E3": "AD85452BBF24B7F1E29977E3",
        "nl91 abna 0417 1643 00": "nl91 abna 0417 1643 00",
        "DE89 3704 0044 0532 0130 00 ist mein Konto": "DE89 3704 0044 0532 0130 00",
        "BE68539007547034": "BE68539007547034",
        "UA213223130000026007233566001": "UA213223130000026007233566001",
    },
    "card": {
        "4111 1111 1111 1111": "4111 1111 1111 1111",
        "card_5500005555555559": "5500005555555559",
        "3714-496353-98431": "3714-496353-98431",
        "order 4111111111111111": "4111111111111111",
    },
    "bsn": {
        "BSN 111222333": "111222333",
        "klant 111222333 belde": "111222333",
        "bsn 123.456.782": "123.456.782",
        "WHERE bsn = 123456782": "123456782",
    },
    "ssn": {
        "123-45-6789": "123-45-6789",
        "my SSN is 123456789": "123456789",
        "social security number 123 45 6789": "123 45 6789",
    },
    "national_id": {
        "DNI 12345678Z": "12345678Z",
        "93.05.18-223.61": "93.05.18-223.61",
        "NINO AB 12 34 56 C": "AB 12 34 56 C",
        "Steuer-ID 86 095 742 719": "86 095 742 719",
    },
    "ip": {
        "from 192.168.1.17:8080": "192.168.1.17",
        "10.0.0.1/24": "10.0.0.1",
        "2001:db8::ff00:42:8329": "2001:db8::ff00:42:8329",
        "[fe80::1]:80": "fe80::1",
        "2001:0db8:0000:0000:0000:ff00:0042:8329": "2001:0db8:0000:0000:0000:ff00:0042:8329",
    },
}
NOTHING = (
    # Questions about data, in five languages.
    "Show me total sales by region for 2024 and 2023, top 10, above 1,250,000.00",
    "Compare 300 450 2023 with 250 000 2024",
    "Which customers bought more than 1 250 000 in 2023-2024?",
    "How did sales grow? By +12 500 000 000 in total, or +49 500 000 000 €",
    "Orders between 01-02-2023 and 06.12.2024, 09.30 10.45 11.00",
    "at 2024-05-01T09:30:00Z, 12:30:45, 20240501",
    "Wat was de omzet in 2023: 612.345.678 of 123.456.782 euro?",
    "Hoeveel stuks van artikel 0612345678 en bestelling 0687654321?",
    "Laat factuur 111222333 en ordernummer 123456782 zien",
    "Klantnummer 0612345678, KvK 12345678, btw BE0123456789, 0123.456.789",
    "Umsatz 612 345 678 im Jahr 2023, Rechnung 0301234567, Kapitel 1.2.3.4",
    "Auftrag 415-555-2671 und Artikelnummer 4155552671",
    "Combien de ventes en 2023 ? 1 234 567 890, commande 06 12 34 56 78",
    "Semaines 01 02 03 04 05, facture 0612345678",
    "¿Cuántos pedidos en 2023? 612345678, 912.345.678 y 612 345 678 en ventas",
    "The order 302-555-1234 has 4155552671 rows",
    # SQL.
    "SELECT SUM(amount) FROM sales WHERE id = 4155552671 AND order_id = 0612345678 LIMIT 100",
    "WHERE id IN (612345678, 712345678, 4155552671) AND total > 1234567890.50",
    "WHERE created_at BETWEEN '2023-01-01 00:00:00' AND '2023-12-31 23:59:59'",
    "SELECT a::dec, 100::dec, '2024-01-01'::date, x[1::2]",
    "id = '0b7a3f52-93c4-4f0e-8a7d-51d2c6e94a20'",
    "The number is 3d7f3e39-ad85-452b-bf24-b7f1e29977e3.",  # ends like an account in Andorra
    "It is be60b7fe-381a-9713-7bb8-ee3d0502bccc.",  # begins like an account in Belgium
    # Near misses.
    "ISBN 0306406152 and 978-3-16-148410-0, EAN 4006381333931",
    "4111111111111112 is no card, 1234567812345678 neither",
    "NL92ABNA0417164300 has a wrong check digit",
    "123456789 fails the test of eleven",
    "000-12-3456 and 666-12-3456 are no SSNs",
    "package@1.2.3, @handle, user@host, a@b.c",
    "version 1.2.3.4, v1.2.3.4, 1.2.3.4.5, 256.1.1.1, 1.2.3",
    "std::abs, aa:bb:cc:dd:ee:ff, ::1, 10:20",
    "SKU-0612345678, part 0012345678, AB-12345",
    "3.14159265358979, 0.0612345678, 1e10, 0,0612345678",
)


@for_each(
    ("kind", "text", "value"),
    [(kind, text, value) for kind, texts in FOUND.items() for text, value in texts.items()],
)
def test_personal_data_is_found_in_each_way_of_writing(kind: str, text: str, value: str) -> None:
    found = [(one.kind, text[one.start : one.end]) for one in personal_data_in(text)]

    assert found == [(kind, value)]


@for_each("text", NOTHING)
def test_numbers_of_other_things_are_not_taken_for_personal_data(text: str) -> None:
    found = [(one.kind.value, text[one.start : one.end]) for one in personal_data_in(text)]

    assert found == []


@for_each(
    ("one", "other"),
    [
        ("+31 6 1234 5678", "06-12345678"),
        ("0031612345678", "0612345678"),
        ("+1 (415) 555-2671", "415.555.2671"),
        ("Jan@Acme.NL", "jan%40acme.nl"),
        ("NL91 ABNA 0417 1643 00", "nl91abna0417164300"),
        ("2001:0db8:0:0:0:0:0:00ff", "2001:db8::ff"),
    ],
)
def test_a_value_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert personal_data_in(one)[0].written == personal_data_in(other)[0].written


def test_what_names_a_value_tells_what_it_is() -> None:
    assert personal_data_in("612345678") == []
    assert [one.kind for one in personal_data_in("612345678", label="phone")] == ["phone"]
    assert [one.kind for one in personal_data_in("0612345678", label="")] == ["phone"]
    assert personal_data_in("0612345678", label="order_id") == []


@pytest.mark.parametrize(
    "value", ["jan.de.vries@acme.nl", "+31 6 1234 5678", "NL91 ABNA 0417 1643 00"]
)
def test_in_a_long_text_a_value_is_found_wherever_it_is(value: str) -> None:
    for place in range(49_900, 50_100, 3):
        text = f"{'x ' * (place // 2)}{value} {'y ' * 100} tel 612345678"
        found = [text[one.start : one.end] for one in personal_data_in(text)]
        assert found == [value, "612345678"]
