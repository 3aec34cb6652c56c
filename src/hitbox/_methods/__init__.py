"""The verbs that make colliders."""
