"""Experiments of the rating laboratory.

What may be asked stands in `ratings.experiment_plans`. `histories` finds the games in
the books and keeps them, `files` reads those that were sent, `asking` takes an
experiment and what is done with it later, `running` works on it in a job, `results`
makes what the pages show of what came out.
"""
