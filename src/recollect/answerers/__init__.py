"""Who answers questions: a model, a data platform, or memory itself."""
