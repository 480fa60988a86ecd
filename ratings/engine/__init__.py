"""The rating algorithm of US Chess: cards in, ratings out.

Pure Python. Nothing in here knows a database, a clock or a web page.
"""

ENGINE_VERSION = "1.2"
