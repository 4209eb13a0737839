"""Questions to data as a fragment changes them."""
