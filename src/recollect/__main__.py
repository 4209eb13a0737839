"""The program `recollect`, also run by `python -m recollect`."""

import sys

from recollect.errors import ConfigurationError
from recollect.extras import named_extra, require


def main() -> None:
    """Run a command, or say which extra installs the commands."""
    try:
        if sys.argv[1:2] == ["serve"]:
            require("uvicorn", "'recollect serve'")
        with named_extra("the command line"):
            from recollect.interfaces.cli.main import main as run  # noqa: PLC0415  # an extra
    except ConfigurationError as error:
        sys.exit(f"recollect: {error}")
    run()


if __name__ == "__main__":  # processes that are started by this one read it, too
    main()
