"""The scenarios, one file for each theme."""
