"""A sweep for people and programs: the verdict first, then what chose the winner, stage by stage."""
