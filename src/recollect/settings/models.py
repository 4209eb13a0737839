"""The models that answer, summarise and embed."""

from pydantic import BaseModel, Field, SecretStr

from recollect.domain.chat_templates import ChatTemplate


class ModelSettings(BaseModel):
    """Endpoints and names of models."""

    llm_base_url: str | None = Field(
        default=None,
        description="An OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1; "
        "unset: answers are quoted from memory and summaries are made offline.",
    )
    llm_api_key: SecretStr | None = Field(default=None, description="Key of that endpoint.")
    llm_model: str | None = Field(default=None, description="The model that answers.")
    chat_template: ChatTemplate = Field(
        default=ChatTemplate.AUTO,
        description="What the models' chat templates demand beside one leading system message: "
        "plain (nothing), alternating (users and assistants take turns), no_system (that, and no "
        "system role) or auto: by the family of the model.",
    )
    llm_timeout_seconds: float = Field(
        default=60, gt=0, description="Time limit of one call of a model, retries included."
    )
    embedding_model: str | None = Field(
        default=None,
        description="What finds messages by meaning: a folder with tokenizer.json and "
        "model.onnx, the name of an endpoint's model, or none: by words alone; default: "
        "all-MiniLM-L6-v2, which is installed along.",
    )
    embedding_base_url: str | None = Field(
        default=None,
        description="Endpoint of the embedding model; default: MEMORY_LLM_BASE_URL.",
    )
    embedding_api_key: SecretStr | None = Field(
        default=None,
        description="Key of that endpoint; default: MEMORY_LLM_API_KEY, if the endpoint is the "
        "same.",
    )
    embedding_dimensions: int | None = Field(
        default=None,
        ge=2,
        le=4000,
        description="Dimensions to ask that endpoint for; default: the model's own.",
    )
    embedding_timeout_seconds: float = Field(
        default=5,
        gt=0,
        description="The longest that a question waits for its vector; after that, what was said "
        "is found by words alone, and the answer has a warning.",
    )
    embedding_pooling: str = Field(
        default="mean",
        pattern="^(mean|cls)$",
        description="How a model in a folder makes one vector of a text: mean or cls.",
    )
