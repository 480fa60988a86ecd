"""Which system predicts the federation's newest games best, month after month."""
