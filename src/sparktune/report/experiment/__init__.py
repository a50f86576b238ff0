"""An experiment as a page, as pictures, and as a block of Markdown to paste."""
