"""Rows of drift as text - the verdict, the table, why, the next step - and as JSON."""
