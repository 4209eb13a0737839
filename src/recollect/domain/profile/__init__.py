"""The profile of a user: JSON values by key, which programs store about them."""
