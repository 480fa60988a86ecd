"""The results of the estimator: from a valid form to the data of a page.

Errors that need the database (no such member, no rule for the day) are added to the
form's fields like errors of the input.
"""

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _

from events.checks import messages
from players.models import Player
from ratings.engine.explanation import explain
from ratings.engine.inputs import Game, Kind, PlayerId
from ratings.engine.results import RatingResult
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules
from ratings.engine.standard import bonus_threshold
from ratings.engine.systems import System
from ratings.engine.time_controls import TimeControl
from ratings.ledger.queries.engine_errors import refusal
from ratings.ledger.queries.published_ratings import published_change
from ratings.ledger.services.ledger_lines import RatedSystem, rate_facts, rules_for_day
from ratings.ledger.services.player_states import PlayerState
from ratings.ledger.services.rating_inputs import (
    SectionFacts,
    Tally,
    highest_floor,
)
from ratings.pages.estimator.forms import (
    CLASS,
    FLOOR,
    Opponents,
    PlayerEventForm,
    SectionForm,
    TargetForm,
)
from ratings.pages.estimator.pages.prefill import as_typed
from ratings.pages.estimator.parsing import PlayerSpec, TypedPlayer
from ratings.pages.estimator.services import (
    ME,
    Meeting,
    PlayerEvent,
    after_each_game,
    known_rating,
    members_by_id,
    need,
    next_floor,
    player_result,
    possible_scores,
    public_states,
    rate_player_event,
    set_rating,
    typed_state,
)
from ratings.pages.profile.queries.standings import next_class
from ratings.pages.why.queries.rules_used import rules_used
from ratings.pages.why.queries.step_builder import StepBuilder
from ratings.pages.why.queries.steps import Person
from ratings_site.common.ui.formatting import (
    format_constant,
    format_day,
    format_decimal,
    join_names,
)

Answer = dict[str, Any]
Facts = list[tuple[str, str]]
# From this length on, a section's query string is compressed, in this parameter.
MAX_PLAIN_LENGTH = 1_000
PACKED = "z"
MAX_UNPACKED = 50_000
# The server accepts URLs of 8,190 characters; other programs may accept fewer.
MAX_LINK_LENGTH = 6_000


@contextmanager
def _missing_rule_as_error(form: forms.Form) -> Iterator[None]:
    try:
        yield
    except NoRuleInForce as missing:
        form.add_error("day", messages.translated(refusal(missing)))


def explain_estimate(
    rated: RatedSystem, player: PlayerId, people: Mapping[PlayerId, Person], name: str
) -> Answer:
    """Derive a player's estimate step by step; without a *name*, the reader's.

    Nothing is hidden, because all inputs were typed or are on public profiles.
    """
    rating_input, rules = rated.rating_input, rated.rules
    explanation = explain(rating_input, rules, player)
    working = StepBuilder(rating_input, rules, explanation, people, is_estimate=True)
    return {
        "system": rating_input.system,
        "outcome": working.outcome(name),
        "rules": rules,
        "steps": working.steps(),
        "rules_used": rules_used(explanation, rating_input, rules),
    }


def assumptions(
    systems: tuple[System, ...],
    time_control: TimeControl,
    day: date,
    rules: Rules,
    games: int | None = None,
) -> list[tuple[str, str]]:
    """Return the rules and assumptions of an estimate; *games* are its player's."""
    return [
        (_("System"), join_names(_(one.label) for one in systems)),
        (_("Time control"), time_control.text),
        (
            _("Rules as of"),
            _("{day}, edition {edition}").format(
                day=format_day(day), edition=rules.edition
            ),
        ),
        (_("Bonus"), _bonus_in_words(rules, games)),
    ]


def _bonus_in_words(rules: Rules, games: int | None) -> str:
    least, counted = rules.bonus_from_games, rules.bonus_counts_at_least
    multiplier = format_constant(rules.bonus_multiplier)
    if games is None:
        return _(
            "from {least} games on; points gained above {multiplier} × √m count "
            "twice (m is the number of games, at least {counted})"
        ).format(least=least, multiplier=multiplier, counted=counted)
    if games < least:
        return _("none: fewer than {least} games").format(least=least)
    threshold = format_decimal(bonus_threshold(games, rules))
    return _(
        "points gained in {games} games above {multiplier} × √{max} = {threshold} "
        "count twice"
    ).format(
        games=games, multiplier=multiplier, max=max(games, counted), threshold=threshold
    )


# --- One player ---


def player_estimate(form: PlayerEventForm, opponents: Opponents) -> Answer | None:
    """Return the estimate of a form, or add errors to it and return None."""
    event = _own_event(form, opponents)
    if event is None:
        return None
    with _missing_rule_as_error(form):
        rated = rate_player_event(event, event.played)
        return {
            "event": event,
            "lines": after_each_game(event),
            "result": player_result(rated),
            "scores": possible_scores(event) if event.remaining_games else (),
            "explanation": _own_explanation(rated, event) if event.played else None,
            "facts": _own_facts(event, rated, len(event.played)),
        }
    return None


def target_estimate(form: TargetForm, opponents: Opponents) -> Answer | None:
    """Return the score that a target needs, or add errors and return None."""
    event = _own_event(form, opponents)
    if event is None or not event.remaining_games:
        return None
    with _missing_rule_as_error(form):
        try:
            target, name, remark = _goal(form, event)
        except ValidationError as problem:
            form.add_error("target", problem)
            return None
        needed = need(event, target)
        rated = (needed.needed or needed.best).against_weak
        return {
            "event": event,
            "need": needed,
            "goal": name,
            "remark": remark,
            "explanation": _own_explanation(rated, event),
            "facts": _own_facts(event, rated, len(event.meetings)),
        }
    return None


def _own_event(form: PlayerEventForm, opponents: Opponents) -> PlayerEvent | None:
    for error in opponents.errors:
        form.add_error(None, error)
    if not form.is_valid():
        return None
    cleaned, day = form.cleaned_data, form.cleaned_data["day"]
    specs = [row.spec for row in opponents.rows if row.spec]
    members = members_by_id([cleaned["member"], *(spec.member_id for spec in specs)])
    member = members.get(cleaned["member"])
    if cleaned["member"] and member is None:
        form.add_error("member", _("No member has this ID."))
    _check_opponents(form, opponents, members, member)
    if form.errors:
        return None
    states = public_states(members.values(), day=day)
    own = states.setdefault(member.pk if member else ME, PlayerState())
    if form.typed is not None:
        set_rating(own, cleaned["system"], form.typed, form.typed_record, day)
    elif member is not None:
        form.from_record = _from_record(own, cleaned["system"], day)
    meetings = []
    for row, spec in zip(opponents.rows, specs, strict=True):
        key, person = _opponent(row.number, spec, members)
        row.name = person.name if person.url else ""
        if key not in states:
            states[key] = typed_state(spec, [cleaned["system"]], day)
        meetings.append(Meeting(key, row.score, person))
    return PlayerEvent(
        cleaned["system"], cleaned["control"], day, member, states, tuple(meetings)
    )


def _from_record(state: PlayerState, system: System, day: date) -> str:
    """Return the sentence on the record used for an estimate without a typed rating."""
    known = known_rating(state, system, rules_for_day(day))
    if known is None:
        return _("Unrated in this system.")
    typed, _record = known
    return _(
        "From the member’s record: {rating}, based on {games} games, floor {floor}."
    ).format(rating=as_typed(typed.rating), games=typed.games, floor=typed.floor)


def _check_opponents(
    form: PlayerEventForm,
    opponents: Opponents,
    members: dict[str, Player],
    me: Player | None,
) -> None:
    for row in opponents.rows:
        member_id = row.spec.member_id if row.spec else ""
        if member_id and member_id not in members:
            row.error = _("No member has the ID {member_id}.").format(
                member_id=member_id
            )
        elif member_id and members[member_id] == me:
            row.error = _("You cannot be your own opponent.")
        else:
            continue
        form.add_error(
            None,
            _("Opponent {number}: {error}").format(number=row.number, error=row.error),
        )


def _opponent(
    number: int, spec: PlayerSpec, members: dict[str, Player]
) -> tuple[PlayerId, Person]:
    member = members.get(spec.member_id)
    if member is None:
        return f"opponent {number}", Person(
            _("Opponent {number} ({rating})").format(number=number, rating=spec.text)
        )
    return member.pk, _person(member)


def _person(member: Player) -> Person:
    return Person(member.name, member.get_absolute_url())


def _own_explanation(rated: RatedSystem, event: PlayerEvent) -> Answer:
    people = {one.opponent: one.person for one in event.meetings}
    return explain_estimate(rated, event.me, people, "")


def _own_facts(event: PlayerEvent, rated: RatedSystem, games: int) -> Facts:
    systems = (event.system,)
    return assumptions(systems, event.time_control, event.day, rated.rules, games)


def _goal(form: TargetForm, event: PlayerEvent) -> tuple[int, str, str]:
    """Return the target rating, its description, and a remark.

    Raises ValidationError if there is no such target.
    """
    wanted = form.cleaned_data["target"]
    if wanted == CLASS:
        return _class_goal(event)
    if wanted == FLOOR:
        return _floor_goal(event)
    goal = form.cleaned_data["goal"]
    return goal, _("a rating of {goal}").format(goal=goal), ""


def _class_goal(event: PlayerEvent) -> tuple[int, str, str]:
    if event.rating is None:
        raise ValidationError(
            _("Without a rating there is no next class. Choose “this rating”.")
        )
    above = next_class(event.rating)
    if above is None:
        raise ValidationError(
            _("There is no class above this one. Choose “this rating”.")
        )
    words = _("{name}, from {lowest}")
    return above.lowest, words.format(name=above.name, lowest=above.lowest), ""


def _floor_goal(event: PlayerEvent) -> tuple[int, str, str]:
    rules, state = rules_for_day(event.day), event.states[event.me]
    standing = state.standings.get(event.system)
    floor = highest_floor(state, standing, Tally(), system=event.system, rules=rules)
    found = next_floor(floor, rules)
    if found is None:
        words = _("No rating earns a floor above {floor:.0f}. Choose “this rating”.")
        raise ValidationError(words.format(floor=floor))
    level, rating = found
    games = (standing.games if standing else 0) + len(event.meetings)
    remark = ""
    if games <= rules.established_after:
        remark = _(
            "Only an established rating, based on more than {established_after} "
            "games, earns a floor. After this event it would be based on {games}."
        ).format(established_after=rules.established_after, games=games)
    words = _("a floor of {level}, earned at a rating of {rating}")
    return rating, words.format(level=level, rating=rating), remark


# --- A whole section ---


@dataclass(frozen=True, slots=True)
class Cell:
    """A player's estimate in one system."""

    system: System
    before: float | None
    after: float | None
    marks: tuple[tuple[str, str], ...]
    why_url: str

    @property
    def change(self) -> int | None:
        return published_change(self.before, self.after)


@dataclass(frozen=True, slots=True)
class EstimatedPlayer:
    """A player of the section. *score* is in half points."""

    row: TypedPlayer
    person: Person
    score: int
    games: int
    cells: tuple[Cell, ...]


def section_estimate(form: SectionForm, query: QueryDict) -> Answer | None:
    """Return the estimates of all players, and the steps of the requested one.

    If there are errors, add them to the form and return None.
    """
    if not form.is_valid():
        return None
    cleaned, day = form.cleaned_data, form.cleaned_data["day"]
    rows = cleaned["rows"].rows
    members = members_by_id(row.spec.member_id for row in rows)
    faults = _faults_in_members(rows, members)
    if faults:
        form.add_error("rows", faults)
        return None
    keys = {row.number: _key(row, members) for row in rows}
    states = public_states(members.values(), day=day)
    for row in rows:
        if not row.spec.member_id:
            states[keys[row.number]] = typed_state(row.spec, cleaned["systems"], day)
    with _missing_rule_as_error(form):
        rated = rate_facts(_section_facts(form, keys), states)
        people = {keys[row.number]: _player_of(row, members) for row in rows}
        link = section_link(query)
        lines = [
            _line(row, people[keys[row.number]], place, rated, link)
            for place, row in enumerate(rows)
        ]
        systems = tuple(one.system for one in rated)
        explained = next(
            (one for one in lines if str(one.row.number) == query.get("why")), None
        )
        asked = next((one for one in rated if one.system == query.get("in")), rated[0])
        return {
            "systems": systems,
            "lines": lines,
            "facts": assumptions(systems, cleaned["control"], day, rated[0].rules),
            "has_unrated": any(
                cell.before is None for line in lines for cell in line.cells
            ),
            "explained": explained,
            "explanation": explained
            and explain_estimate(
                asked, keys[explained.row.number], people, explained.person.name
            ),
        }
    return None


def _faults_in_members(
    rows: Iterable[TypedPlayer], members: dict[str, Player]
) -> list[str]:
    faults: list[str] = []
    lines: dict[int, int] = {}
    for row in rows:
        member = members.get(row.spec.member_id)
        if row.spec.member_id and member is None:
            faults.append(
                _("Line {number}: no member has the ID {member_id}.").format(
                    number=row.number, member_id=row.spec.member_id
                )
            )
        elif member and lines.setdefault(member.pk, row.number) != row.number:
            faults.append(
                _(
                    "Line {number}: this member is already on line {lines}. Put all "
                    "of the member’s games on one line."
                ).format(number=row.number, lines=lines[member.pk])
            )
    return faults


def _key(row: TypedPlayer, members: dict[str, Player]) -> PlayerId:
    member = members.get(row.spec.member_id)
    return member.pk if member else f"line {row.number}"


def _section_facts(form: SectionForm, keys: dict[int, PlayerId]) -> SectionFacts:
    cleaned = form.cleaned_data
    return SectionFacts(
        kind=Kind.SWISS,
        time_control=cleaned["control"],
        is_online=cleaned["online"],
        starts=cleaned["day"],
        ends=cleaned["day"],
        persons=tuple(keys.values()),
        games=tuple(
            Game(keys[game.first], keys[game.second], game.score, 2 - game.score)
            for game in cleaned["rows"].games
        ),
    )


def _player_of(row: TypedPlayer, members: dict[str, Player]) -> Person:
    member = members.get(row.spec.member_id)
    if member is not None:
        return _person(member)
    return Person(row.name or _("Player {number}").format(number=row.number))


def _line(
    row: TypedPlayer, person: Person, place: int, rated: list[RatedSystem], link: str
) -> EstimatedPlayer:
    results = [one.results[place] for one in rated]
    cells = tuple(
        Cell(
            system=one.system,
            before=one.rating_input.competitors[place].rating,
            after=result.post,
            marks=tuple(_marks(result)),
            why_url=f"{link}&why={row.number}&in={one.system.value}#working"
            if result.games
            else "",
        )
        for one, result in zip(rated, results, strict=True)
    )
    return EstimatedPlayer(row, person, results[0].score, results[0].games, cells)


def _marks(result: RatingResult) -> Iterable[tuple[str, str]]:
    if result.bonus:
        yield "b", _("Bonus of {bonus:.1f} points").format(bonus=result.bonus)
    if result.floor is not None:
        yield "f", _("At the floor of {floor:.0f}").format(floor=result.floor)
    if result.ceiling is not None:
        yield ("c", _("At the ceiling of {ceiling:.0f}").format(ceiling=result.ceiling))


# --- URLs ---


def estimate_link(form: PlayerEventForm, opponents: Opponents) -> str:
    """Return the query string of an estimate, without blank values."""
    fields = [(name, form.data.get(name, "")) for name in form.fields]
    return "?" + urlencode([pair for pair in fields if pair[1]] + opponents.pairs)


def section_link(query: QueryDict) -> str:
    """Return the query string of a section, without the requested player.

    A long one is compressed, because servers and mail programs truncate long URLs.
    """
    fields = [(name, query.get(name, "")) for name in SectionForm.base_fields]
    plain = urlencode([pair for pair in fields if pair[1]])
    if len(plain) <= MAX_PLAIN_LENGTH:
        return f"?{plain}"
    text = json.dumps({name: value for name, value in fields if value})
    compressed = zlib.compress(text.encode(), level=9)
    return f"?{PACKED}={urlsafe_b64encode(compressed).decode().rstrip('=')}"


class InvalidLink(Exception):
    """A compressed query string that cannot be read."""


def unpack_query(query: QueryDict) -> QueryDict:
    """Return the parameters of a URL, decompressed if necessary."""
    packed = query.get(PACKED, "")
    if not packed:
        return query
    try:
        fields = _decompress(packed)
    except (ValueError, RecursionError, zlib.error) as damage:
        raise InvalidLink(
            _("This link is damaged. Get a new link, or enter the section again.")
        ) from damage
    whole = query.copy()
    del whole[PACKED]
    whole.update(fields)
    return whole


def _decompress(packed: str) -> dict[str, str]:
    """Decompress a query string, up to the length of the longest section."""
    compressed = urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    fields = json.loads(zlib.decompressobj().decompress(compressed, MAX_UNPACKED))
    if not isinstance(fields, dict):
        raise ValueError("A section is packed with its fields by name.")
    texts = {
        name: str(fields[name]) for name in SectionForm.base_fields if name in fields
    }
    "".join(texts.values()).encode()  # a lone surrogate raises a ValueError
    return texts
