"""Fakes of clocks, ids and models for tests of programs that use Recollect."""
