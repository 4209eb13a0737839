"""The dashboard: pages in the browser, rendered by the server."""
