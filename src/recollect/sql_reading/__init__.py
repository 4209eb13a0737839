"""Reading the SQL of answers: which tables and columns it draws on."""
