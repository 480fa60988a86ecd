"""Rerates: history replayed beside the current ratings, and published at once.

`books` reads what is replayed, `people` who takes part and where they start, `replay`
runs the engine, `shadow` writes what comes out otherwise than it stands in the ledger,
`running` does that pass by pass in a job, `publishing` makes it current or takes it
back, `effects` and `titles` say what it changes, `what_if` asks without writing.
"""

from ratings.services.rerates.publishing import (
    PreviewChanged,
    discard_rerate,
    publish_rerate,
    undo_rerate,
)
from ratings.services.rerates.starting import (
    RerateRefused,
    retry_rerate,
    start_rerate,
)
from ratings.services.rerates.what_if import (
    Differences,
    Hypothesis,
    simulate,
    start_what_if,
)

__all__ = [
    "Differences",
    "Hypothesis",
    "PreviewChanged",
    "RerateRefused",
    "discard_rerate",
    "publish_rerate",
    "retry_rerate",
    "simulate",
    "start_rerate",
    "start_what_if",
    "undo_rerate",
]
