"""The answers of the estimator: a form that is right, put together into a page.

What only the books can tell is wrong (no such member, no rule for the day) is said at
the field, as what is misspelled.
"""

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from events.checks import saying
from players.models import Player
from ratings.engine.cards import Kind
from ratings.engine.dated import NoRuleInForce
from ratings.engine.outcomes import Rated
from ratings.engine.systems import System
from ratings.estimator.forms import (
    CLASS,
    FLOOR,
    Opponents,
    OwnEventForm,
    SectionForm,
    TargetForm,
)
from ratings.estimator.pages.filling import as_typed
from ratings.estimator.queries.answers import (
    EstimatedWorking,
    assumptions,
    next_class,
    working_of,
)
from ratings.estimator.services import (
    ME,
    AfterGame,
    Meeting,
    Need,
    OwnEvent,
    PossibleScore,
    after_each_game,
    enter_rating,
    known_rating,
    members_named,
    need,
    next_floor,
    own_result,
    possible_scores,
    public_states,
    rate_own,
    typed_state,
)
from ratings.estimator.text import TypedPlayer, Who
from ratings.ledger.queries.published import published_change
from ratings.ledger.queries.refusals import refusal
from ratings.ledger.services.cards import PersonGame, SectionFacts, Tally, floor_of
from ratings.ledger.services.computing import RatedSystem, rate_facts
from ratings.ledger.services.lines import rules_of
from ratings.ledger.services.states import PlayerState
from ratings.why.queries.steps import Person

Facts = list[tuple[str, str]]
# From this length on the address of a section is packed, under this name.
LONGEST_PLAIN = 1_000
PACKED = "z"
MOST_UNPACKED = 50_000
# The server takes addresses of 8,190 characters; a reader's program may take fewer.
LONGEST_LINK = 6_000


# --- One player ---


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """What one player's event does so far."""

    event: OwnEvent
    member: Player | None
    names: dict[Hashable, Person]
    lines: list[tuple[AfterGame, Person | None]]
    result: Rated
    scores: tuple[PossibleScore, ...]
    working: EstimatedWorking | None
    facts: Facts


@dataclass(frozen=True, slots=True)
class NeedAnswer:
    """What a target takes in the games to come. *goal* says what the target is."""

    event: OwnEvent
    member: Player | None
    need: Need
    goal: str
    remark: str
    score_so_far: int
    working: EstimatedWorking
    facts: Facts


def own_answer(form: OwnEventForm, opponents: Opponents) -> OwnAnswer | None:
    """Answer a form, or add to it what is wrong and return None."""
    found = _own_event(form, opponents)
    if found is None:
        return None
    event, member, names = found
    try:
        lines = after_each_game(event)
        rated = rate_own(event, event.played)
        scores = possible_scores(event) if event.to_come else ()
        working = _own_working(rated, event, names) if event.played else None
        facts = _own_facts(event, rated, len(event.played))
    except NoRuleInForce as missing:
        form.add_error("day", saying.said(refusal(missing)))
        return None
    return OwnAnswer(
        event=event,
        member=member,
        names=names,
        lines=[
            (line, names[line.meeting.opponent] if line.meeting else None)
            for line in lines
        ],
        result=own_result(rated),
        scores=scores,
        working=working,
        facts=facts,
    )


def need_answer(form: TargetForm, opponents: Opponents) -> NeedAnswer | None:
    """Answer a form, or add to it what is wrong and return None."""
    found = _own_event(form, opponents)
    if found is None or not found[0].to_come:
        return None
    event, member, names = found
    try:
        goal = _goal(form, event)
        if goal is None:
            return None
        target, name, remark = goal
        needed = need(event, target)
        rated = (needed.needed or needed.best).against_weak
        working = _own_working(rated, event, names)
        facts = _own_facts(event, rated, len(event.meetings))
    except NoRuleInForce as missing:
        form.add_error("day", saying.said(refusal(missing)))
        return None
    so_far = sum(one.score or 0 for one in event.played)
    return NeedAnswer(event, member, needed, name, remark, so_far, working, facts)


def _own_event(
    form: OwnEventForm, opponents: Opponents
) -> tuple[OwnEvent, Player | None, dict[Hashable, Person]] | None:
    for error in opponents.errors:
        form.add_error(None, error)
    if not form.is_valid():
        return None
    said, day = form.cleaned_data, form.cleaned_data["day"]
    whos = [row.who for row in opponents.rows if row.who]
    members = members_named([said["member"], *(who.member_id for who in whos)])
    member = members.get(said["member"])
    if said["member"] and member is None:
        form.add_error("member", _("No member has this ID."))
    me: Hashable = member.pk if member else ME
    _check_opponents(form, opponents, members, me)
    if form.errors:
        return None
    states = public_states(members.values(), day=day)
    own = states.setdefault(me, PlayerState())
    if form.typed is not None:
        enter_rating(own, said["system"], form.typed, form.typed_record, day)
    elif member is not None:
        form.from_record = _from_record(own, said["system"], day)
    meetings, names = [], {}
    for row in opponents.rows:
        key, names_as = _opponent(row.number, row.who, members)
        names[key] = names_as
        row.name = names_as.name if names_as.url else ""
        if key not in states:
            states[key] = typed_state(row.who, [said["system"]], day)
        meetings.append(Meeting(key, row.score))
    control = said["control"]
    event = OwnEvent(said["system"], control, day, me, states, tuple(meetings))
    return event, member, names


def _from_record(state: PlayerState, system: System, day: date) -> str:
    """Say what the record brings into an estimate, where no rating was typed."""
    known = known_rating(state, system, rules_of(day))
    if known is None:
        return _("Unrated in this system.")
    typed, _record = known
    return _("From the record: {rating} on {games} games, floor {floor}.").format(
        rating=as_typed(typed.rating), games=typed.games, floor=typed.floor
    )


def _check_opponents(
    form: OwnEventForm, opponents: Opponents, members: dict[str, Player], me: Hashable
) -> None:
    for row in opponents.rows:
        member_id = row.who.member_id if row.who else ""
        if member_id and member_id not in members:
            row.error = _("No member has the ID {member_id}.").format(
                member_id=member_id
            )
        elif member_id and members[member_id].pk == me:
            row.error = _("Nobody can be their own opponent.")
        else:
            continue
        form.add_error(
            None,
            _("Opponent {number}: {error}").format(number=row.number, error=row.error),
        )


def _opponent(
    number: int, who: Who, members: dict[str, Player]
) -> tuple[Hashable, Person]:
    member = members.get(who.member_id)
    if member is None:
        return f"opponent {number}", Person(
            _("Opponent {number} ({rating})").format(number=number, rating=who.text)
        )
    return member.pk, _person(member)


def _person(member: Player) -> Person:
    return Person(member.name, reverse("ratings:profile", args=[member.member_id]))


def _own_working(
    rated: RatedSystem, event: OwnEvent, names: dict[Hashable, Person]
) -> EstimatedWorking:
    return working_of(rated.card, rated.rules, event.me, names)


def _own_facts(event: OwnEvent, rated: RatedSystem, games: int) -> Facts:
    systems = (event.system,)
    return assumptions(systems, event.time_control, event.day, rated.rules, games)


def _goal(form: TargetForm, event: OwnEvent) -> tuple[int, str, str] | None:
    """Return the rating to reach, what it is, and a remark; None if there is none."""
    wanted = form.cleaned_data["target"]
    if wanted == CLASS:
        return _class_goal(form, event)
    if wanted == FLOOR:
        return _floor_goal(form, event)
    goal = form.cleaned_data["goal"]
    return goal, _("a rating of {goal}").format(goal=goal), ""


def _class_goal(form: TargetForm, event: OwnEvent) -> tuple[int, str, str] | None:
    if event.rating is None:
        form.add_error(
            "target",
            _("Without a rating there is no next class. Choose “this rating”."),
        )
        return None
    found = next_class(event.rating)
    if found is None:
        form.add_error(
            "target", _("There is no class above this one. Choose “this rating”.")
        )
        return None
    name, lowest = found
    return (
        lowest,
        _("{name}, which begins at {lowest}").format(name=name, lowest=lowest),
        "",
    )


def _floor_goal(form: TargetForm, event: OwnEvent) -> tuple[int, str, str] | None:
    rules, state = rules_of(event.day), event.states[event.me]
    standing = state.standings.get(event.system)
    floor = floor_of(state, standing, Tally(), system=event.system, rules=rules)
    found = next_floor(floor, rules)
    if found is None:
        form.add_error(
            "target",
            _(
                "No rating brings a floor above {floor:.0f}. Choose “this rating”."
            ).format(floor=floor),
        )
        return None
    level, rating = found
    games = (standing.games if standing else 0) + len(event.meetings)
    remark = ""
    if games <= rules.established_after:
        remark = _(
            "Only an established rating brings a floor, one on more than "
            "{established_after} games; after this event it would rest on "
            "{games}."
        ).format(established_after=rules.established_after, games=games)
    return (
        rating,
        _("a floor of {level}, which a rating of {rating} brings").format(
            level=level, rating=rating
        ),
        remark,
    )


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


@dataclass(frozen=True, slots=True)
class SectionAnswer:
    """The estimates of everybody, and the working of the one that was asked for."""

    systems: tuple[System, ...]
    lines: list[EstimatedPlayer]
    facts: Facts
    has_unrated: bool
    explained: EstimatedPlayer | None = None
    working: EstimatedWorking | None = None


def section_answer(form: SectionForm, said: QueryDict) -> SectionAnswer | None:
    """Answer a form, or add to it what is wrong and return None."""
    if not form.is_valid():
        return None
    rows = form.cleaned_data["rows"].rows
    members = members_named(row.who.member_id for row in rows)
    faults = _faults_in_members(rows, members)
    if faults:
        form.add_error("rows", faults)
        return None
    keys = {row.number: _key(row, members) for row in rows}
    states = public_states(members.values(), day=form.cleaned_data["day"])
    systems = form.cleaned_data["systems"]
    for row in rows:
        if not row.who.member_id:
            day = form.cleaned_data["day"]
            states[keys[row.number]] = typed_state(row.who, systems, day)
    try:
        rated = rate_facts(_section_facts(form, keys), states)
        return _section_answer(form, said, rated, keys, members)
    except NoRuleInForce as missing:
        form.add_error("day", saying.said(refusal(missing)))
        return None


def _faults_in_members(
    rows: Iterable[TypedPlayer], members: dict[str, Player]
) -> list[str]:
    faults: list[str] = []
    lines: dict[int, int] = {}
    for row in rows:
        member = members.get(row.who.member_id)
        if row.who.member_id and member is None:
            faults.append(
                _("Line {number}: no member has the ID {member_id}.").format(
                    number=row.number, member_id=row.who.member_id
                )
            )
        elif member and lines.setdefault(member.pk, row.number) != row.number:
            faults.append(
                _(
                    "Line {number}: this is the member of line {lines}. A member who "
                    "enters twice is rated once: put all games on one line."
                ).format(number=row.number, lines=lines[member.pk])
            )
    return faults


def _key(row: TypedPlayer, members: dict[str, Player]) -> Hashable:
    member = members.get(row.who.member_id)
    return member.pk if member else f"line {row.number}"


def _section_facts(form: SectionForm, keys: dict[int, Hashable]) -> SectionFacts:
    said = form.cleaned_data
    return SectionFacts(
        kind=Kind.SWISS,
        time_control=said["control"],
        is_online=said["online"],
        starts=said["day"],
        ends=said["day"],
        persons=tuple(keys.values()),
        games=tuple(
            PersonGame(keys[game.first], keys[game.second], game.score, 2 - game.score)
            for game in said["rows"].games
        ),
    )


def _section_answer(
    form: SectionForm,
    said: QueryDict,
    rated: list[RatedSystem],
    keys: dict[int, Hashable],
    members: dict[str, Player],
) -> SectionAnswer:
    rows = form.cleaned_data["rows"].rows
    people = {keys[row.number]: _player_of(row, members) for row in rows}
    link = section_link(said)
    lines = [
        _line(row, place, people, keys, rated, link) for place, row in enumerate(rows)
    ]
    facts = assumptions(
        tuple(one.system for one in rated),
        form.cleaned_data["control"],
        form.cleaned_data["day"],
        rated[0].rules,
    )
    explained, working = _asked_for(said, rated, lines, keys, people)
    return SectionAnswer(
        systems=tuple(one.system for one in rated),
        lines=lines,
        facts=facts,
        has_unrated=any(cell.before is None for line in lines for cell in line.cells),
        explained=explained,
        working=working,
    )


def _player_of(row: TypedPlayer, members: dict[str, Player]) -> Person:
    member = members.get(row.who.member_id)
    if member is not None:
        return _person(member)
    return Person(row.name or f"Player {row.number}")


def _line(
    row: TypedPlayer,
    place: int,
    people: dict[Hashable, Person],
    keys: dict[int, Hashable],
    rated: list[RatedSystem],
    link: str,
) -> EstimatedPlayer:
    results = [one.results[place] for one in rated]
    cells = tuple(
        Cell(
            system=one.system,
            before=one.card.competitors[place].rating,
            after=result.post,
            marks=tuple(_marks(result)),
            why_url=f"{link}&why={row.number}&in={one.system.value}#working"
            if result.games
            else "",
        )
        for one, result in zip(rated, results, strict=True)
    )
    person = people[keys[row.number]]
    return EstimatedPlayer(row, person, results[0].score, results[0].games, cells)


def _marks(result: Rated) -> Iterable[tuple[str, str]]:
    if result.bonus:
        yield "b", _("Bonus of {bonus:.1f} points").format(bonus=result.bonus)
    if result.floor is not None:
        yield "f", _("Held by the floor of {floor:.0f}").format(floor=result.floor)
    if result.ceiling is not None:
        yield (
            "c",
            _("Held by the ceiling of {ceiling:.0f}").format(ceiling=result.ceiling),
        )


def _asked_for(
    said: QueryDict,
    rated: list[RatedSystem],
    lines: list[EstimatedPlayer],
    keys: dict[int, Hashable],
    people: dict[Hashable, Person],
) -> tuple[EstimatedPlayer | None, EstimatedWorking | None]:
    """Return the player whose working the address asks for; nonsense asks for none."""
    system = next((one for one in rated if one.system == said.get("in")), rated[0])
    line = next((one for one in lines if str(one.row.number) == said.get("why")), None)
    if line is None:
        return None, None
    key = keys[line.row.number]
    working = working_of(system.card, system.rules, key, people, line.person.name)
    return line, working


# --- Addresses ---


def own_link(form: OwnEventForm, opponents: Opponents) -> str:
    """Return the address of an estimate, without what was left empty."""
    fields = [(name, form.data.get(name, "")) for name in form.fields]
    return "?" + urlencode([pair for pair in fields if pair[1]] + opponents.pairs)


def section_link(said: QueryDict) -> str:
    """Return the address of a section, without the player that was asked for.

    A long one is packed, because servers and mail programs cut long addresses.
    """
    fields = [(name, said.get(name, "")) for name in SectionForm.base_fields]
    plain = urlencode([pair for pair in fields if pair[1]])
    if len(plain) <= LONGEST_PLAIN:
        return f"?{plain}"
    text = json.dumps({name: value for name, value in fields if value})
    squeezed = zlib.compress(text.encode(), level=9)
    return f"?{PACKED}={urlsafe_b64encode(squeezed).decode().rstrip('=')}"


class DamagedLink(Exception):
    """A packed address that cannot be read."""


def unpacked(said: QueryDict) -> QueryDict:
    """Return what an address says, with what is packed in it laid out."""
    packed = said.get(PACKED, "")
    if not packed:
        return said
    try:
        fields = _laid_out(packed)
    except (ValueError, RecursionError, zlib.error) as damage:
        raise DamagedLink(
            _("This link is damaged. Ask for it again, or enter the section again.")
        ) from damage
    whole = said.copy()
    del whole[PACKED]
    whole.update(fields)
    return whole


def _laid_out(packed: str) -> dict[str, str]:
    """Return the fields of a packed address; never more than the longest section."""
    squeezed = urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    fields = json.loads(zlib.decompressobj().decompress(squeezed, MOST_UNPACKED))
    if not isinstance(fields, dict):
        raise ValueError("A section is packed with its fields by name.")
    return {
        name: str(fields[name]) for name in SectionForm.base_fields if name in fields
    }
