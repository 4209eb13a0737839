"""A tiny cross-encoder: its score is the number of words that a question and a text share."""

from pathlib import Path
from typing import Final

import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS: Final = ("pottery", "class", "invoice", "paid", "when", "was", "the")


def write_overlap_model(folder: Path) -> Path:
    """Write model.onnx and tokenizer.json into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _tokenizer().save(str(folder / "tokenizer.json"))
    onnx.save(_model(), str(folder / "model.onnx"))
    return folder


def _tokenizer() -> Tokenizer:
    vocabulary = {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}
    vocabulary |= {word: number for number, word in enumerate(WORDS, start=3)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 0), ("[SEP]", 1)],
    )
    return tokenizer


def _model() -> onnx.ModelProto:
    """Count the tokens of the text, above the special ones, that the question has as well."""
    tokens = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
              for name in ("input_ids", "attention_mask", "token_type_ids")]  # fmt: skip
    numbers = [
        helper.make_tensor("two", TensorProto.INT64, [], [2]),
        helper.make_tensor("zero", TensorProto.INT64, [], [0]),
        helper.make_tensor("rows", TensorProto.INT64, [1], [2]),
        helper.make_tensor("columns", TensorProto.INT64, [1], [1]),
        helper.make_tensor("last", TensorProto.INT64, [2], [1, 2]),
        helper.make_tensor("shape", TensorProto.INT64, [2], [-1, 1]),
    ]
    nodes = [
        helper.make_node("Greater", ["input_ids", "two"], ["is_word"]),
        helper.make_node("Greater", ["token_type_ids", "zero"], ["is_text"]),
        helper.make_node("Not", ["is_text"], ["is_question"]),
        helper.make_node("And", ["is_word", "is_text"], ["word_of_text"]),
        helper.make_node("Unsqueeze", ["input_ids", "rows"], ["down"]),
        helper.make_node("Unsqueeze", ["input_ids", "columns"], ["across"]),
        helper.make_node("Equal", ["down", "across"], ["same"]),
        helper.make_node("Unsqueeze", ["word_of_text", "rows"], ["text_down"]),
        helper.make_node("Unsqueeze", ["is_question", "columns"], ["question_across"]),
        helper.make_node("And", ["text_down", "question_across"], ["between"]),
        helper.make_node("And", ["same", "between"], ["shared"]),
        helper.make_node("Cast", ["shared"], ["counted"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["counted", "last"], ["sums"], keepdims=0),
        helper.make_node("Reshape", ["sums", "shape"], ["logits"]),
    ]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])
    graph = helper.make_graph(nodes, "overlap", tokens, [logits], numbers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
