"""The nouns: meshes, shapes, colliders and navigable spaces, with their properties."""
