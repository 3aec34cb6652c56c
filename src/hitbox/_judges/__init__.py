"""The verbs that judge a collider."""
