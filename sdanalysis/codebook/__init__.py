"""What a row is: its parts, its columns and their words, the units and what a device can reach."""
