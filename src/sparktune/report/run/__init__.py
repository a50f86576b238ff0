"""The result of one run - a bench, no comparison - as a page and as pictures."""
