"""Reports as TDs send and edit them."""
