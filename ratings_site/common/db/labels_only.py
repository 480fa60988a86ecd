"""A migration operation for changes that a database does not see."""

from collections.abc import Sequence

from django.db.migrations.operations import SeparateDatabaseAndState
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class LabelsOnly(SeparateDatabaseAndState):
    """Change labels, help texts, messages and options of models all at once.

    Django would rebuild the historical models for each change, which takes minutes for
    a hundred changes.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        super().__init__(state_operations=operations)

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # rebuilt on the next access
        super().state_forwards(app_label, state)
