"""What acts of the office would do to ratings, said before anybody confirms them."""
