"""hitbox turns a 3D mesh into a collider: the fewest convex shapes that enclose it."""
