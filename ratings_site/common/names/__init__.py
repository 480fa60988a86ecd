"""Search keys, phonetic keys, nicknames and typos of names."""
