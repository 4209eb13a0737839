"""What `recollect chat` talks to."""

from pydantic import BaseModel, Field, SecretStr


class ChattingSettings(BaseModel):
    """The server of a chat in the terminal."""

    server_url: str | None = Field(
        default=None,
        description="A running server that 'recollect chat' talks to; unset: no server is needed.",
    )
    server_key: SecretStr | None = Field(
        default=None, description="The API key that 'recollect chat' shows to that server."
    )
