"""An experiment's result for people and programs."""
