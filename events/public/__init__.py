"""Events as everybody sees them."""
