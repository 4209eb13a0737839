"""Train the span editor.

    python train.py --rows FOLDER --public FOLDER --encoder ENCODER.npz --tokenizer TOKENIZER.json \
        --out FOLDER

A GPU takes minutes; `--device cpu` takes hours, `--minutes` ends it early. On a CPU, `--frozen 3`
and `--unjudged` take a third of the time.
"""

import argparse
import multiprocessing
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from tokenizers import Tokenizer

from base_encoder import unpacked
from evaluate import evaluate
from examples import LONG, SHORT, Batch, Example, collate, make_example
from judgements import Judgement, JudgementBatch, collate_judgements, judgements
from loss import edit_loss
from network import SpanEditor
from rows import HELD_OUT, OURS, Row, Variations, read_rows

CONSTRUCTED_SHARE = 0.5  # of a public row's weight
_TOKENIZER: dict[str, Tokenizer] = {}


def main() -> None:
    """Read the arguments, train, keep the best network by the rows that were held out."""
    options = _options()
    if options.threads:
        torch.set_num_threads(options.threads)
    rng = random.Random(options.seed)
    ours = read_rows(sorted(options.rows.glob("*.jsonl")), source=OURS)
    public = read_rows(sorted(options.public.glob("*.jsonl"))) if options.public else []
    held = [row for row in ours if row.conversation % HELD_OUT == 0]
    ours = [row for row in ours if row.conversation % HELD_OUT]
    print(f"{len(ours)} rows of ours, {len(held)} held out, {len(public)} public", flush=True)
    batches = make_batches(training_rows(ours, public, options, rng), options)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    states: list[dict[str, torch.Tensor]] = []
    best = -100.0
    for run in range(options.runs + 1):
        network = new_network(options)
        if run < options.runs:
            network = train(network, batches, options, seed=options.seed + run)
            states.append({name: value.cpu() for name, value in network.state_dict().items()})
        elif len(states) > 1:  # the mean of the runs, which began with the same weights
            network.load_state_dict(mean_state(states))
            network.eval()
        else:
            break
        name = f"{options.name}{run}"
        score = evaluate(
            network,
            tokenizer,
            options.natural,
            held,
            device=options.device,
            name=name,
            out=options.out,
        )
        print(f"{name}: {score:.2f} {clock():.0f}s", flush=True)
        if score > best:
            best = score
            halves = {name: value.half().cpu() for name, value in network.state_dict().items()}
            torch.save(halves, options.out / "best.pt")


def mean_state(states: Sequence[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """The mean of several networks' weights."""
    return {name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--public", type=Path)
    start = parser.add_mutually_exclusive_group(required=True)
    start.add_argument("--encoder", type=Path, help="a trained encoder; its heads are new")
    start.add_argument("--state", type=Path, help="a whole network, as of dequantise.py")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--natural", type=Path, help="a folder of natural rows to score")
    parser.add_argument("--name", default="followup")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--copies", type=int, default=6, help="variations of each row of ours")
    parser.add_argument("--public-weight", type=float, default=0.5)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--dropout", type=float, default=0.15)
    parser.add_argument("--tokens", type=int, default=24_000, help="of a batch")
    parser.add_argument("--minutes", type=float, default=600, help="for one run")
    parser.add_argument("--runs", type=int, default=1, help="networks whose mean is tried, too")
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument("--frozen", type=int, default=0, help="layers that stay as they are")
    parser.add_argument("--unjudged", action="store_true", help="learn no judging: half the time")
    parser.add_argument("--threads", type=int, help="of a CPU; one for each of several trainings")
    parser.add_argument("--smoothing", type=float, default=0.998, help="of the weights' mean")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


_BEGUN = time.monotonic()


def clock() -> float:
    """Seconds since the program began."""
    return time.monotonic() - _BEGUN


def training_rows(
    ours: Sequence[Row], public: Sequence[Row], options: argparse.Namespace, rng: random.Random
) -> list[Row]:
    """Each row of ours with its variations; public rows once."""
    variations = Variations(ours, rng)
    rows = list(ours)
    for row in ours:
        rows += [variations.of(row) for _ in range(options.copies)]
        if row.needs_rewrite:
            rows.append(variations.of(variations.already_standalone(row)))
        if not row.needs_rewrite and row.phenomenon in {"standalone", "expletive", "first-mention"}:
            rows += [variations.standalone_elsewhere(row) for _ in range(2)]
    for row in public:
        share = CONSTRUCTED_SHARE if row.source == "constructed" else 1.0
        rows.append(replace(row, weight=options.public_weight * share))
    return rows


def make_batches(
    rows: Sequence[Row], options: argparse.Namespace
) -> list[tuple[Batch, JudgementBatch]]:
    """Batches of edits, each with a batch of judgements beside it; made by several processes."""
    rng = random.Random(options.seed)
    jobs = [(row, str(options.tokenizer), not options.unjudged) for row in rows]
    with multiprocessing.Pool(options.workers) as pool:
        made = pool.map(_example, jobs, chunksize=200)
        examples = [one for one, _ in made if one is not None]
        judged = [one for _, several in made for one in several]
        print(f"{len(examples)} examples, {len(judged)} judgements {clock():.0f}s", flush=True)
        edits = _batches(examples, options.tokens, rng)
        pairs = _batches(judged, options.tokens, rng) if judged else [[]] * len(edits)
        while len(pairs) < len(edits):
            pairs += pairs
        batches = pool.starmap(
            _collated,
            (
                ([examples[i] for i in one], [judged[i] for i in other])
                for one, other in zip(edits, pairs, strict=False)
            ),
        )
    print(f"{len(batches)} batches {clock():.0f}s", flush=True)
    return [
        (Batch(*map(torch.from_numpy, a)), JudgementBatch(*map(torch.from_numpy, b)))
        for a, b in batches
    ]


def _collated(examples: list[Example], judged: list[Judgement]) -> tuple[list, list]:
    torch.set_num_threads(1)
    batch = collate(examples, random.Random(len(examples)))
    return [t.numpy() for t in batch], [t.numpy() for t in collate_judgements(judged)]


def _example(job: tuple[Row, str, bool]) -> tuple[Example | None, list[Judgement]]:
    row, path, judging = job
    if path not in _TOKENIZER:
        _TOKENIZER[path] = Tokenizer.from_file(path)
    rng = random.Random(row.question + row.reference)
    limits = LONG if rng.random() < 0.4 else SHORT
    most_lost = 3 if row.source == OURS else 1
    example = make_example(row, _TOKENIZER[path], limits, most_lost=most_lost)
    is_judged = judging and rng.random() < (0.2 if row.source == "constructed" else 0.6)
    return example, judgements(row, _TOKENIZER[path], limits, rng) if is_judged else []


def new_network(options: argparse.Namespace) -> SpanEditor:
    """A span editor over a trained encoder with new heads, or as a state has it."""
    torch.manual_seed(options.seed)
    if options.state:
        state = {name: value.float() for name, value in torch.load(options.state).items()}
        network = SpanEditor(len(state["encoder.words.weight"]), dropout=options.dropout)
        network.load_state_dict(state)
        return network.to(options.device)
    weights = {name: torch.tensor(values) for name, values in unpacked(options.encoder).items()}
    types = weights["types.weight"]
    weights["types.weight"] = types.repeat(6 // len(types), 1)
    vocabulary = len(weights["words.weight"])
    network = SpanEditor(vocabulary, layers=options.layers, dropout=options.dropout)
    network.encoder.load_state_dict(weights)
    return network.to(options.device)


def train(
    network: SpanEditor,
    batches: Sequence[tuple[Batch, JudgementBatch]],
    options: argparse.Namespace,
    *,
    seed: int,
) -> SpanEditor:
    """Run all epochs; returns the network with the mean of its last weights.

    The rate rises shortly and then falls to nothing. Each step sees edits and judgements.
    """
    rng, begun = random.Random(seed), clock()
    torch.manual_seed(seed)
    _freeze(network, options.frozen)
    heads = [p for name, p in network.named_parameters() if not name.startswith("encoder.")]
    learning = [p for p in network.encoder.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": learning, "share": 1.0},
            {"params": heads, "share": 5.0},
        ],
        lr=options.rate,
        weight_decay=0.01,
    )
    mean = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(options.smoothing)
    )
    steps, step, average = options.epochs * len(batches), 0, 0.0
    network.train()
    for _ in range(options.epochs):
        for number in rng.sample(range(len(batches)), len(batches)):
            done = max(step / steps, (clock() - begun) / (options.minutes * 60))
            if done >= 1:
                break
            for group in optimiser.param_groups:
                rate = min(1.0, done / 0.06 + 1e-3) * max(0.01, 1 - done)
                group["lr"] = options.rate * group["share"] * rate
            batch, pairs = (part.to(options.device) for part in batches[number])
            loss = _step_loss(network, batch, pairs, options)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            if done > 0.3:
                mean.update_parameters(network)
            if step % 20 == 0:
                average = 0.9 * average + 0.1 * loss.item() if average else loss.item()
            if step % 100 == 0:
                print(f"step {step}/{steps} loss {average:.3f} {clock():.0f}s", flush=True)
            step += 1
    return mean.module.eval()


def _freeze(network: SpanEditor, layers: int) -> None:
    """Let the first layers, and the embeddings below them, stay as they are."""
    encoder = network.encoder
    below = (encoder.words, encoder.positions, encoder.types, encoder.norm) if layers else ()
    for module in (*below, *encoder.layers[:layers]):
        module.requires_grad_(requires_grad=False)


def _step_loss(
    network: SpanEditor, batch: Batch, pairs: JudgementBatch, options: argparse.Namespace
) -> torch.Tensor:
    is_gpu = options.device != "cpu"  # few CPUs are quicker with short numbers
    with torch.autocast(options.device, dtype=torch.bfloat16, enabled=is_gpu):
        scores = network(*batch[:5])
        if options.unjudged:
            return edit_loss(scores, batch)
        verified = network.verified(*pairs[:3])
    judged = torch.nn.functional.binary_cross_entropy_with_logits(
        verified.float(), pairs.right * 0.94 + 0.03, reduction="none"
    )
    return edit_loss(scores, batch) + (judged * pairs.weights).mean()


def _batches(
    examples: Sequence[Example | Judgement], tokens: int, rng: random.Random
) -> list[list[int]]:
    """Examples of like length together, in random order."""
    order = list(range(len(examples)))
    rng.shuffle(order)
    batches: list[list[int]] = []
    for begin in range(0, len(order), 4096):
        part = sorted(
            order[begin : begin + 4096], key=lambda i: len(examples[i].features.token_ids)
        )
        batch: list[int] = []
        for index in part:
            length = len(examples[index].features.token_ids)
            if batch and length * (len(batch) + 1) > tokens:
                batches.append(batch)
                batch = []
            batch.append(index)
        batches.append(batch)
    rng.shuffle(batches)
    return batches


if __name__ == "__main__":
    main()
