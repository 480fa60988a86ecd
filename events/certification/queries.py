"""Requests for TD certification, and the records of directors."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Prefetch, QuerySet
from django.db.models.functions import Coalesce

from events.access import is_office, td_records
from events.certification.experience import (
    Assignment,
    Renewal,
    Step,
    credits_by_level,
    next_level,
    renewal,
    steps_to,
)
from events.certification.rules import (
    LIMITS,
    MONTHS_AFTER_MEMBERSHIP,
    Limit,
    add_months,
    in_force,
)
from events.models import Entry, EventOfficial, Official, Section
from events.records.section_rater import section_rater
from players.claims.queries import decided_claims, waiting_claims
from players.guardians.queries import age_class
from players.members.queries import membership_end, membership_label, same_person
from players.members.rating_history import MAIN_SYSTEM
from players.models import Claim, Membership, Player
from ratings_site.common.models import User


def open_requests() -> QuerySet[Claim]:
    return waiting_claims(as_td=True)


def decided_requests() -> QuerySet[Claim]:
    return decided_claims(as_td=True)


def next_request() -> Claim | None:
    """Return the oldest open request."""
    return open_requests().first()


def open_request_of(account: User) -> Claim | None:
    return open_requests().filter(account=account).first()


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """Facts on record about the person who requests certification."""

    official: Official | None
    membership: str
    age_class: str
    events_directed: int
    is_linked: bool
    other_account: User | None


def request_with_facts(pk: int) -> tuple[Claim, RequestFacts] | None:
    """Return a request and its facts (four queries)."""
    memberships = Membership.objects.select_related("type")
    requests = Claim.objects.filter(as_td=True).select_related(
        "account__invited_by",
        "decided_by",
        "player__account",
        "player__merged_into__account",
    )
    requests = requests.prefetch_related(
        Prefetch("player__memberships", memberships),
        Prefetch("player__merged_into__memberships", memberships),
    )
    request = requests.filter(pk=pk).first()
    if request is None:
        return None
    member = request.player.canonical
    directed = held_by(member).values("event").distinct()
    is_linked = member.account_id == request.account_id
    return request, RequestFacts(
        official=td_records(pk=member.pk).first(),
        membership=membership_label(member),
        age_class=age_class(member.latest_birth_date),
        events_directed=directed.count(),
        is_linked=is_linked,
        other_account=None if is_linked else member.account,
    )


# Records of directors


def can_see_record(user: User | AnonymousUser, official: Official) -> bool:
    """Return whether the account may see what counts and what is missing."""
    member = official.player
    is_own = user.pk in (member.account_id, member.canonical.account_id)
    return user.is_authenticated and (is_own or is_office(user))


@dataclass(frozen=True)
class DirectorRecord:
    """The assignments of a TD, newest first, and what follows from them."""

    official: Official
    assignments: list[Assignment]
    today: date

    @property
    def is_current(self) -> bool:
        return self.official.is_certified_on(self.today)

    @cached_property
    def credits(self) -> dict[str, list[Assignment]]:
        return dict(credits_by_level(self.assignments, self.today))

    @property
    def rows(self) -> list[tuple[Assignment, str, list[str]]]:
        """Return each assignment, its role in words, and the levels it counts for."""
        given = {level: {*some} for level, some in self.credits.items()}
        return [
            (
                one,
                str(EventOfficial.Role(one.role).label),
                [
                    str(Official.Level(level).label)
                    for level in given
                    if one in given[level]
                ],
            )
            for one in self.assignments
        ]

    @property
    def next_level(self) -> str:
        level = next_level(self.official.level)
        return str(Official.Level(level).label) if level else ""

    @property
    def steps(self) -> list[Step]:
        level = next_level(self.official.level)
        return steps_to(level, self.credits.get(level, ()), self.today)

    @property
    def limit(self) -> Limit | None:
        return in_force(LIMITS.get(self.official.level, ()), self.today)

    @property
    def renewal(self) -> Renewal | None:
        return renewal(
            self.official.level, self.official.certified_until, self.assignments
        )

    @property
    def membership_ends(self) -> date | None:
        return membership_end(self.official.player.canonical)

    @property
    def inactive_from(self) -> date | None:
        """Return when the certification lapses because the membership ended."""
        ends = self.membership_ends
        months = in_force(MONTHS_AFTER_MEMBERSHIP, self.today)
        return None if ends is None or months is None else add_months(ends, months)


def held_by(player: Player) -> QuerySet[EventOfficial]:
    """Return the roles that a person held at events, under any member number."""
    kept = player.merged_into_id or player.pk
    return EventOfficial.objects.filter(same_person([kept]))


def official_by_id(member_id: str) -> Official | None:
    officials = td_records(member_id=member_id).prefetch_related(
        "player__memberships", "player__merged_into__memberships"
    )
    return officials.first()


def director_record(official: Official, today: date) -> DirectorRecord:
    """Return a TD's record (four queries, for any number of events)."""
    return DirectorRecord(official, assignments_of(official.player), today)


def assignments_of(player: Player) -> list[Assignment]:
    """Return the assignments at accepted events, newest first.

    An assignment at a section is left out if the player has the same one at the event.
    """
    held = held_by(player).select_related("event")
    rows = list(held.order_by("-event__ends", "-event__event_id", "section_number"))
    events = held.order_by().values("event")
    sections: dict[tuple[int, int | None], Section] = {
        (one.event_id, one.number): one
        for one in Section.objects.filter(event__in=events)
    }
    counted = [one.pk for one in sections.values() if _gives_credit(one)]
    entries = Entry.objects.filter(section__in_array=counted).order_by()
    people = Count(Coalesce("player__merged_into", "player"), distinct=True)
    by_event = dict(entries.values_list("section__event").annotate(people=people))
    by_section = dict(entries.values_list("section").annotate(people=people))
    rounds: defaultdict[int, int] = defaultdict(int)
    for one in sections.values():
        if one.pk in by_section:
            rounds[one.event_id] = max(rounds[one.event_id], one.rounds)
    of_events = {(row.event_id, row.role) for row in rows if row.section_number is None}
    assignments = []
    for row in rows:
        section = sections.get((row.event_id, row.section_number))
        place = row.event_id, row.role
        if row.section_number is None:
            figures = by_event.get(row.event_id, 0), rounds[row.event_id]
        elif section is None or place in of_events:
            continue
        else:
            figures = by_section.get(section.pk, 0), section.rounds
        assignments.append(
            Assignment(
                section.ends if section else row.event.ends,
                row.role,
                *figures,
                event_id=row.event.event_id,
                event=row.event.name,
                section=(section.name or str(section.number)) if section else "",
            )
        )
    return assignments


def _gives_credit(section: Section) -> bool:
    """Return whether a section is rated regular over the board, and is no match.

    The time control says so; the letter of the report only if it has no system.
    """
    if section.is_online or section.kind == Section.Kind.MATCH:
        return False
    control, starts = section.time_control, section.starts
    systems = section_rater().systems_of_control(control, False, starts)
    if systems:
        return MAIN_SYSTEM in systems
    return section.reported_system not in ("Q", "B")
