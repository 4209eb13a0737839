"""Doubles of the servers and clients that Recollect talks to, over real HTTP."""
