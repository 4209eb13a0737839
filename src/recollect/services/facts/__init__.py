"""Facts about users: learning them, finding those that matter, and changing them by hand."""
