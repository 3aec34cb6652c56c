"""The nouns: meshes, shapes, colliders, and what is known about them."""
