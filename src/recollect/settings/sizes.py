"""What is expected of models by their size."""

from pydantic import BaseModel, Field

from recollect.settings.reading import NumbersByName


class SizeSettings(BaseModel):
    """How large models are, and from which size on one rewrites follow-ups."""

    rewrite_from_billions: float = Field(
        default=14,
        ge=0,
        description="The smallest model, in billions, that rewrites follow-ups; else rules do.",
    )
    model_sizes: NumbersByName = Field(
        default_factory=dict,
        description='Sizes of models in billions by name pattern, as JSON: {"my-model*": 7}.',
    )
