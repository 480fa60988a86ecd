"""The rating laboratory: other systems and other rules, run over history and compared.

Pure like the engine: standard library, `ratings.engine` and itself only.
"""
