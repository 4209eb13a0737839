"""A page that shows the OpenAPI document to people, without scripts and without the internet."""
