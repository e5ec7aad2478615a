"""A user's files -> rows: read, in bulk, what nobody claims, and what a log tells of the card."""
