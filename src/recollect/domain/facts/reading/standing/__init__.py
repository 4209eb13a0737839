"""Standing instructions: how a user wants all answers from now on."""
