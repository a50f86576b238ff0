"""A page of HTML that needs nothing but itself: no script runs, nothing is fetched; light or dark."""
