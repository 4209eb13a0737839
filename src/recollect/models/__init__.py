"""Language models and what belongs to them, behind the ports of `recollect.ports`."""
