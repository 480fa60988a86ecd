"""What a replay can suppose instead of what the books say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Any

from django.db.models import Model

from ratings.engine.cards import Kind
from ratings.engine.time_controls import parse_time_control
from ratings.engine.variation.varying import NOTHING_VARIED, Change, Variation
from ratings.ledger.services.cards import PersonGame, SectionFacts
from ratings.models import Adjustment, Ceiling, Floor, FloorLowering


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Suppositions, each beside everything else as it stands in the books.

    *from_day* is the first day whose ratings may differ (None: from nothing on).
    *facts* says what a section is supposed to be, None that it is not there. *merges*
    are pairs (kept, merged) of primary keys, *unmerges* members merged so far who
    count for themselves again. Grants and adjustments are unsaved objects that count
    besides the saved ones. *edition* is another edition of the rules, *rules* what else
    is different about them.
    """

    from_day: date | None = None
    facts: Mapping[int, SectionFacts | None] = field(default_factory=dict)
    merges: Sequence[tuple[int, int]] = ()
    unmerges: Sequence[int] = ()
    floors: Sequence[Floor] = ()
    lowerings: Sequence[FloorLowering] = ()
    ceilings: Sequence[Ceiling] = ()
    adjustments: Sequence[Adjustment] = ()
    edition: str | None = None
    rules: Variation = NOTHING_VARIED

    @property
    def people(self) -> set[int]:
        """Return whom it names as played or decided of, known so far or not."""
        played = (facts.persons for facts in self.facts.values() if facts is not None)
        return {
            *chain.from_iterable(played),
            *(kept for kept, _ in self.merges),
            *(one.player_id for one in self.adjustments),
        }


NOTHING_SUPPOSED = Hypothesis()

# The columns of grants and adjustments that decide ratings.
_GRANT = ("player_id", "system", "level", "starts", "ends")
_OBJECTS: dict[str, tuple[type[Model], tuple[str, ...]]] = {
    "floors": (Floor, _GRANT),
    "lowerings": (FloorLowering, ("player_id", "system", "level", "starts")),
    "ceilings": (Ceiling, _GRANT),
    "adjustments": (Adjustment, ("player_id", "system", "day", "rating", "games")),
}


def to_json(hypothesis: Hypothesis) -> dict[str, Any]:
    """Return a hypothesis as data that can be stored; `from_json` reads it."""
    return {
        "from_day": _day_out(hypothesis.from_day),
        "facts": [
            [section, _facts_out(facts)] for section, facts in hypothesis.facts.items()
        ],
        "merges": [list(pair) for pair in hypothesis.merges],
        "unmerges": list(hypothesis.unmerges),
        "edition": hypothesis.edition,
        "rules": rules_to_json(hypothesis.rules),
        **{
            name: [
                {column: _day_out(getattr(one, column)) for column in columns}
                for one in getattr(hypothesis, name)
            ]
            for name, (_, columns) in _OBJECTS.items()
        },
    }


def from_json(data: Mapping[str, Any]) -> Hypothesis:
    return Hypothesis(
        from_day=_day_in(data["from_day"]),
        facts={section: _facts_in(facts) for section, facts in data["facts"]},
        merges=[(kept, merged) for kept, merged in data["merges"]],
        unmerges=data["unmerges"],
        edition=data["edition"],
        rules=rules_from_json(data.get("rules", ())),
        **{
            name: [model(**_object_in(one)) for one in data[name]]
            for name, (model, _) in _OBJECTS.items()
        },
    )


def rules_to_json(variation: Variation) -> list[list[Any]]:
    """Return what is varied as data that can be stored: name, value, first, last."""
    return [
        [one.name, one.value, _day_out(one.first), _day_out(one.last)]
        for one in variation.changes
    ]


def rules_from_json(data: Sequence[Sequence[Any]]) -> Variation:
    """Read what `rules_to_json` wrote."""
    changes = (
        Change(name, value, _day_in(first), _day_in(last))
        for name, value, first, last in data
    )
    return Variation(tuple(changes))


def _object_in(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _day_in(value) if name in ("starts", "ends", "day") else value
        for name, value in columns.items()
    }


def _facts_out(facts: SectionFacts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    return {
        "kind": facts.kind.value,
        "time_control": facts.time_control.text,
        "is_online": facts.is_online,
        "starts": facts.starts.isoformat(),
        "ends": facts.ends.isoformat(),
        "persons": list(facts.persons),
        "games": [[one.a, one.b, one.score_a, one.score_b] for one in facts.games],
    }


def _facts_in(data: Mapping[str, Any] | None) -> SectionFacts | None:
    if data is None:
        return None
    return SectionFacts(
        kind=Kind(data["kind"]),
        time_control=parse_time_control(data["time_control"]),
        is_online=data["is_online"],
        starts=date.fromisoformat(data["starts"]),
        ends=date.fromisoformat(data["ends"]),
        persons=tuple(data["persons"]),
        games=tuple(PersonGame(*game) for game in data["games"]),
    )


def _day_out(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _day_in(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None
