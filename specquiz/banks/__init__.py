"""Question banks: YAML to checked, typed records."""
