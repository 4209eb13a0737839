"""Builds the services on the stores of an engine."""

from recollect.composition.services import build_services

__all__ = ["build_services"]
