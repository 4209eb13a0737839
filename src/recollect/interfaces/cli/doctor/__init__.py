"""`recollect doctor`: whether everything is as it should be, and what to do if not."""
