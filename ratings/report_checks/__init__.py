"""What is odd in a report for those who know ratings, and its preview."""
