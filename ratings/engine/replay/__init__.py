"""Replay a whole history in rating order, over plain columns.

`arrays` defines inputs and results, `rule_rows` writes rules as numbers, `kernel` holds
the loops, and `replay` runs them over a history or a chunk of it.
"""

from .driver import INTERPRETED, Kernel, replay

__all__ = ["INTERPRETED", "Kernel", "replay"]
