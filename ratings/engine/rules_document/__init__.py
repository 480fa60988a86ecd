"""The document of the rules, generated from the values that the calculation uses.

`page` renders docs/rules.md, `history` and `decisions` are tables of sentences.
"""
