"""The program `recollect`, also run by `python -m recollect`."""

import atexit
import gc
import sys
from typing import Final

from recollect.errors import ConfigurationError
from recollect.extras import named_extra, require

_COLLECT_AFTER_OBJECTS: Final = 20_000

# Python's cyclic garbage collector would go through all modules while they are loaded, and once
# more at the end: a fifth of the time that a short command takes. Done before they are loaded, in
# the processes that this one starts, too.
gc.set_threshold(_COLLECT_AFTER_OBJECTS, *gc.get_threshold()[1:])
atexit.register(gc.freeze)


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
