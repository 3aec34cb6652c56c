"""What every module may use: errors, checks, lengths, options, files."""
