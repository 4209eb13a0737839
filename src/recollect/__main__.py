"""`python -m recollect`."""

from recollect.interfaces.cli.main import main

main()
