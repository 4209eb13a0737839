"""Servers, proxies and programs that tests start."""
