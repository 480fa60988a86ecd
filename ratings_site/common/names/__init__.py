"""People's names as they are searched, heard and shortened."""
