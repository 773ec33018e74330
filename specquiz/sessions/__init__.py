"""What a session is: events, the state they fold into, mastery. No screen, no disk."""
