"""Reports as directors send and mend them."""
