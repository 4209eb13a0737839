"""Where memory is kept: each engine implements the ports of `recollect.ports`."""
