"""Rules as they might have been: what may be varied, and the rules that follow."""
