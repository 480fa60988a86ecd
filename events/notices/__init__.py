"""Who is told of reports and corrections."""
