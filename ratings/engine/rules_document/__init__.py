"""The document of the rules, written from the values that the calculation uses.

`page` puts docs/rules.md together, `history` and `decisions` are tables of sentences.
"""
