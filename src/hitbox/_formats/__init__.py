"""File formats: readers and writers, and the tables that pick one by suffix."""
