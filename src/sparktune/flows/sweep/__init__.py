"""What ``sweep`` does: plan, visit, confirm."""
