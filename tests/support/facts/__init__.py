"""What tests of facts need: models that say what they are told to say."""
