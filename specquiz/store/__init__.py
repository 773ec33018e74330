"""The append-only event log on disk."""
