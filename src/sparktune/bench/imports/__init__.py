"""Reading what other measuring tools wrote. Pure: text in, typed rows out."""
