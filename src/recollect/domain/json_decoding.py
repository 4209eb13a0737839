"""Decoders of JSON that let other threads work meanwhile."""

import json
from functools import cache
from json.scanner import py_make_scanner  # type: ignore[attr-defined]  # no stub has it


@cache
def patient_decoder() -> json.JSONDecoder:
    """A decoder that lets others work in between, and takes ten times as long."""
    return patient(json.JSONDecoder())


def patient(decoder: json.JSONDecoder) -> json.JSONDecoder:
    """Let a decoder work in Python, and not in C with the interpreter lock."""
    decoder.scan_once = py_make_scanner(decoder)  # type: ignore[attr-defined]  # no stub has it
    return decoder
