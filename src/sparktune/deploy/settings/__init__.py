"""Settings of a service in one normal form, in four layers: earned, file, echoed, live."""
