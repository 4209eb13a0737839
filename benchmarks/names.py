"""How many names of people a spaCy pipeline finds in questions, and what that costs.

Usage: python benchmarks/names.py en_core_web_sm [more pipelines, or folders]

The sentences are our own, in English and French: `{}` around a name that should be found. The rest
should not: cities, firms, products and columns.
"""

import asyncio
import re
import sys
from collections.abc import Sequence
from time import perf_counter, process_time
from typing import Final

import psutil

from recollect.domain.privacy.names import names_in
from recollect.models.names import open_name_finder
from recollect.ports.privacy.names import NameFinder

WITH_NAMES: Final = {
    "en": """\
Which invoices did {Jan de Vries} send last week?
Show me the open orders of {Sarah Miller} in Rotterdam.
How many tickets did {Priya Raghunathan} close in March?
What did {Mohammed El Amrani} say about the budget?
Give me the phone number of {Li Wei}.
{Anna Kowalska} called about her refund.
My manager is {Fatima Zahra Benali} and she prefers short answers.
Please remember that my wife is called {Ingrid}.
I work with {Tom} and {Lucy} on the migration.
Did Dr. {Okonkwo} approve the purchase order?
{O'Brien} asked for the figures of 2023.
Compare the sales of {Peter Jansen} with those of {Maria Gonzalez}.
Is {Jean-Pierre Dubois} still a customer of ours?
who is {sarah miller} and when did she join
what did {jan de vries} order in may
Send {Kees} the report for Utrecht.
{Van den Berg} has three contracts with Acme.
Mail from {Yuki Tanaka}: the shipment is late.
Our new colleague {Bram Visser} starts on Monday.
Meeting with {Chidi} and {Eleanor} at Philips.
The contract was signed by {Hans Müller} and {Aoife Ni Bhriain}.
When is {Emily}'s birthday?
List all complaints that {Rajesh Kumar} filed against DHL.
{Noor} from finance wants the totals by region.
Why was {John Smith}'s order cancelled?
Ask {Zeynep Yilmaz} whether Berlin has stock.
I am {Lars}, and I live in Oslo.
Talk to {Olga Petrova} about the Azure bill.
What is the salary of {Willem Bakker}?
{Grace} and {Mark} will present the quarterly results.
""",
    "fr": """\
Quelles factures {Jean Dupont} a-t-il envoyées la semaine dernière ?
Montre-moi les commandes de {Sophie} à Bordeaux.
Combien de tickets {Amélie Laurent} a-t-elle fermés en mars ?
Mon responsable s'appelle {Karim Benzarti}.
{Camille} et {Thibault} présentent les résultats du trimestre.
Le contrat a été signé par {Nguyen Van Minh}.
Est-ce que {Marie-Claire Petit} est encore cliente chez nous ?
Quel est le salaire de {Guillaume Lefèvre} ?
quand est-ce que {jean dupont} a commandé pour la dernière fois
Demande à {Aïcha} si Marseille a du stock.
""",
}
WITHOUT_NAMES: Final = {
    "en": """\
What was the revenue of Amsterdam in 2023?
Compare Jordan and Lebanon by exports.
How many iPhones did we sell in Paris last month?
Which products of Philips are out of stock?
Show total sales by region for Acme Corp.
What does the column customer_name mean?
How did Tesla do against Ford in May?
Group the orders by city and sort by amount.
List the suppliers in Georgia and Virginia.
Which Lenovo ThinkPad models were returned?
Is Denodo connected to Snowflake?
Total freight for Chicago and San Francisco, please.
How much did we spend on Google Ads in Q3?
What about 2022?
And for the North?
Show me the top ten customers by margin.
Did Mercedes deliver the vans to Hamburg?
Which warehouses ship to Santiago?
Explain the difference between Java and Kotlin.
Round the numbers and answer in Dutch.
""",
    "fr": """\
Quel était le chiffre d'affaires de Lyon en 2023 ?
Compare la Bretagne et la Normandie par exportations.
Combien de voitures Renault avons-nous vendues à Lille ?
Montre le total des ventes par région.
Quels produits de Philips ne sont plus en stock ?
Et pour le nord ?
Trie les commandes par ville et par montant.
Combien avons-nous dépensé chez Orange en mai ?
""",
}
_NAME: Final = re.compile(r"\{([^}]*)\}")


def _read(line: str) -> tuple[str, list[tuple[int, int]]]:
    """A sentence, and where its names stand."""
    names: list[tuple[int, int]] = []
    for shift, one in enumerate(_NAME.finditer(line)):
        start = one.start() - 2 * shift
        names.append((start, start + len(one[1])))
    return _NAME.sub(r"\1", line), names


def _judge(finder: NameFinder, lines: Sequence[str]) -> None:
    whole = partly = missed = wrong = 0
    for text, names in map(_read, lines):
        (spans,) = finder.find([text])
        found = [(one.start, one.end) for one in names_in(text, spans)]
        for start, end in names:
            covered = sum(max(0, min(end, to) - max(start, at)) for at, to in found)
            size = end - start
            whole += covered == size
            partly += 0 < covered < size
            missed += not covered
            if covered < size:
                print(f"  {'partly' if covered else 'missed'}: {text[start:end]} in: {text}")
        for at, to in found:
            if not any(start < to and at < end for start, end in names):
                wrong += 1
                print(f"  no name: {text[at:to]} in: {text}")
    total = whole + partly + missed
    print(
        f"{len(lines)} sentences, {total} names: {whole} found whole, {partly} in part, "
        f"{missed} missed; {wrong} found that are none"
    )


def _time(finder: NameFinder, lines: Sequence[str]) -> None:
    texts = [_read(line)[0] for line in lines]
    for label, shapes in (
        ("a sentence", [[f"{text} {n}"] for n in range(4) for text in texts]),
        ("a text among many", [[f"{text} {n} " for n in range(4, 8) for text in texts]]),
    ):
        began = process_time()
        for some in shapes:
            finder.find(some)
        count = sum(map(len, shapes))
        print(f"{1000 * (process_time() - began) / count:.1f} ms of CPU for {label}")
    long = " ".join(texts * 100)[:100_000]
    began = process_time()
    finder.find([long])
    print(f"{process_time() - began:.1f} s of CPU for a text of 100,000 characters")


async def _main(pipelines: Sequence[str]) -> None:
    process, began, at = psutil.Process(), process_time(), perf_counter()
    before = process.memory_info().rss
    async with open_name_finder(pipelines) as finder:
        if finder is None:
            raise SystemExit(__doc__)
        memory = (process.memory_info().rss - before) / 2**20
        cpu, wall = process_time() - began, perf_counter() - at
        print(f"loaded in {wall:.1f} s ({cpu:.1f} s of CPU), {memory:.0f} MB more")
        for language in (one for one in finder.languages if one in WITH_NAMES):
            print(f"language {language}")
            for lines in (WITH_NAMES[language], WITHOUT_NAMES[language]):
                await asyncio.to_thread(_judge, finder, lines.splitlines())
        texts = [line for lines in WITH_NAMES.values() for line in lines.splitlines()]
        await asyncio.to_thread(_time, finder, texts)
        print(f"{(process.memory_info().rss - before) / 2**20:.0f} MB more in the end")


asyncio.run(_main(sys.argv[1:]))
