"""What accounts are told, on the site and by e-mail."""
