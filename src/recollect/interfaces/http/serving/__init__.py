"""Processes, sockets and connections: what runs the HTTP application."""
