"""The assumptions of a what-if replay that differ from the records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Any

from django.db.models import Model

from ratings.engine.inputs import Kind
from ratings.engine.time_controls import parse_time_control
from ratings.engine.variation.variations import NO_VARIATION, Change, Variation
from ratings.ledger.services.rating_inputs import PersonGame, SectionFacts
from ratings.models import Adjustment, Ceiling, Floor, FloorLowering


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Assumptions in addition to the records.

    *from_day* is the first day whose ratings may differ (None: all history). *facts*
    are the assumed facts of a section, None to leave it out. *merges* are pairs (kept,
    merged) of primary keys, *unmerges* merged members who count for themselves again.
    Grants and adjustments are unsaved objects that count in addition to the saved ones.
    *edition* is another edition of the rules, *rules* are their other differences.
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
    rules: Variation = NO_VARIATION

    @property
    def people(self) -> set[int]:
        """Return all players that it names, whether they have ratings or not."""
        played = (facts.persons for facts in self.facts.values() if facts is not None)
        return {
            *chain.from_iterable(played),
            *(kept for kept, _ in self.merges),
            *(one.player_id for one in self.adjustments),
        }


NO_HYPOTHESIS = Hypothesis()

# The columns of grants and adjustments that decide ratings.
_GRANT = ("player_id", "system", "level", "starts", "ends")
_OBJECTS: dict[str, tuple[type[Model], tuple[str, ...]]] = {
    "floors": (Floor, _GRANT),
    "lowerings": (FloorLowering, ("player_id", "system", "level", "starts")),
    "ceilings": (Ceiling, _GRANT),
    "adjustments": (Adjustment, ("player_id", "system", "day", "rating", "games")),
}


def to_json(hypothesis: Hypothesis) -> dict[str, Any]:
    """Serialize a hypothesis; `from_json` parses it."""
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
    objects: dict[str, Any] = {
        name: [model(**_object_in(one)) for one in data[name]]
        for name, (model, _) in _OBJECTS.items()
    }
    return Hypothesis(
        from_day=_day_in(data["from_day"]),
        facts={section: _facts_in(facts) for section, facts in data["facts"]},
        merges=[(kept, merged) for kept, merged in data["merges"]],
        unmerges=data["unmerges"],
        edition=data["edition"],
        rules=rules_from_json(data.get("rules", ())),
        **objects,
    )


def rules_to_json(variation: Variation) -> list[list[Any]]:
    """Serialize a variation of the rules: name, value, first, last."""
    return [
        [one.name, one.value, _day_out(one.first), _day_out(one.last)]
        for one in variation.changes
    ]


def rules_from_json(data: Sequence[Sequence[Any]]) -> Variation:
    """Parse the output of `rules_to_json`."""
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
