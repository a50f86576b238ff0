"""Search among settings with few, expensive visits: screening, a race, and one winner to confirm."""
