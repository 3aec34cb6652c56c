"""Modules that every other module may import: errors, checks, lengths, options, files."""
