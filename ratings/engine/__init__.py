"""The rating algorithm of US Chess: rating inputs in, ratings out.

Pure Python, without a database, a clock or a web framework.
"""

ENGINE_VERSION = "1.2"
