"""What tests of programs need: fakes of clocks, ids and models, and examples of values."""
