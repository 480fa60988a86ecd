"""The parts that a worked solution is made of; the template only sets them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.utils.safestring import SafeString


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, with a class of the stylesheet for each column."""

    head: tuple[str, ...]
    rows: list[tuple[object, ...]]
    classes: tuple[str, ...]
    foot: tuple[object, ...] = ()

    @property
    def columns(self) -> list[tuple[object, str]]:
        return self._with_classes(self.head)

    @property
    def body(self) -> list[list[tuple[object, str]]]:
        return [self._with_classes(row) for row in self.rows]

    @property
    def total(self) -> list[tuple[object, str]]:
        return self._with_classes(self.foot)

    def _with_classes(self, row: Sequence[object]) -> list[tuple[object, str]]:
        return list(zip(row, self.classes, strict=False))


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, a formula, a table or a list of facts: one of them is filled."""

    text: str = ""
    formula: SafeString | None = None
    table: Table | None = None
    facts: tuple[tuple[str, object], ...] = ()


@dataclass(slots=True)
class Step:
    """A numbered step that folds; *result* stands in its heading."""

    title: str
    result: str = ""
    source: str = ""
    parts: list[Part] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.parts.append(Part(text=text))

    def typeset(self, formula: SafeString) -> None:
        self.parts.append(Part(formula=formula))

    def list_facts(self, facts: Iterable[tuple[str, object]]) -> None:
        self.parts.append(Part(facts=tuple(facts)))

    def tabulate(
        self,
        head: tuple[str, ...],
        rows: list[tuple[object, ...]],
        numbers: Iterable[int],
        foot: tuple[object, ...] = (),
        wide_only: Iterable[int] = (),
    ) -> None:
        """Add a table; *numbers* are columns of numbers, *wide_only* not on phones."""
        classes = dict.fromkeys(numbers, "num") | dict.fromkeys(wide_only, "wide-only")
        in_order = tuple(classes.get(place, "") for place in range(len(head)))
        self.parts.append(Part(table=Table(head, rows, in_order, foot)))
