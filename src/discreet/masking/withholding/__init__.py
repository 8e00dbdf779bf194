"""Values or records stay here."""
