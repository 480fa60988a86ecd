"""What is computed beside the engine: performance ratings.

Pure like the engine: standard library, `ratings.engine` and itself only.
"""
