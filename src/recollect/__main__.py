"""`python -m recollect`."""

from recollect.interfaces.cli.main import main

if __name__ == "__main__":  # processes that are started by this one read it, too
    main()
