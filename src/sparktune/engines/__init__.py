"""One file per engine: how it is recognised, asked, counted and read. ``ENGINES`` lists them by rank."""
