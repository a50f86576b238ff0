"""One file per command; builds the io once and hands it in."""
