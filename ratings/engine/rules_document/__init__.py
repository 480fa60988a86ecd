"""The document of the rules, generated from the values that the calculation uses.

`rules.md` has the sentences, and `page` makes docs/rules.md of it.
"""
