"""What a session or a lab leaves behind to read."""
