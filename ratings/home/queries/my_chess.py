"""My Chess: an account's linked members and its pending work.

The number of queries does not depend on the number of members.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from events.access import AccountSummary, account_summary, is_office
from events.calendar.queries.registrations import planned
from events.models import (
    CorrectionRequest,
    Entry,
    Event,
    EventRegistration,
    Section,
    Submission,
)
from players.guardians.queries import linked_members
from players.members.queries import same_person_ids
from players.models import Player
from ratings.decisions.floors.queries.titles import (
    TitleProgress,
    norm_sections,
    stored_titles,
    title_progress,
)
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import games_of_people
from ratings.ledger.queries.published_ratings import official_number
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.lists.queries.official import latest_list
from ratings.models import OfficialList, OfficialRating, PlayerRating, RatingChange
from ratings.pages.profile.queries.chain import Link, chains_of, points_of
from ratings.pages.profile.queries.lines import place_of
from ratings.pages.profile.queries.standings import SystemStanding
from ratings.pages.why.queries.steps import headline_of
from ratings_site.common.dashboard.queries import PendingItem, pending_items
from ratings_site.common.models import User
from ratings_site.common.ui.charts.ratings import Series, rating_chart

MAX_EVENTS, MAX_DRAFTS, MAX_RESULTS, MAX_TASKS = 2, 5, 3, 6
RESULTS_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class MemberCard:
    """A linked member: ratings as the account may see them, and what is next.

    *outcome* has the figures of the last event, as on its "why" page. The chart and the
    points to the next class are of the first rating.
    """

    player: Player
    ratings: list[tuple[SystemStanding, float | None]]  # current and official
    outcome: dict[str, Any]
    chart: str
    titles: list[TitleProgress]
    corrections: int
    upcoming: list[EventRegistration]


@dataclass(frozen=True, slots=True)
class MyChess:
    """An account's members, and its work as a TD (read lazily) and in the office."""

    members: list[MemberCard]
    official_list: OfficialList | None
    facts: AccountSummary
    drafts: QuerySet[Submission]
    results: QuerySet[Event]
    is_office: bool
    tasks: Sequence[PendingItem]

    @property
    def is_empty(self) -> bool:
        return not (self.members or self.facts.official or self.is_office)


def my_chess(user: User) -> MyChess:
    """Return the account's part of the home page."""
    facts, today = account_summary(user), timezone.localdate()
    newest = latest_list()
    drafts = user.submissions.filter(state__in=Submission.EDITABLE)
    has_office = is_office(user)
    tasks = pending_items(timezone.now()) if has_office else []
    return MyChess(
        members=_cards(linked_members(user), newest, user, today),
        official_list=newest,
        facts=facts,
        drafts=drafts[:MAX_DRAFTS],
        results=_results_of(user),
        is_office=has_office,
        tasks=[one for one in tasks if one.number][:MAX_TASKS],
    )


def _results_of(user: User) -> QuerySet[Event]:
    """Return the events of a TD that were accepted recently and are rated now."""
    sections = Section.objects.filter(event=OuterRef("pk"))
    events = Event.objects.filter(
        Exists(sections.filter(status=Section.Status.RATED)),
        ~Exists(sections.filter(status=Section.Status.READY)),
        submission__uploaded_by=user,
        submission__decided_at__gte=timezone.now() - RESULTS_FOR,
    )
    return events.order_by("-submission__decided_at", "-pk")[:MAX_RESULTS]


def _cards(
    players: Sequence[Player], newest: OfficialList | None, user: User, today: date
) -> list[MemberCard]:
    numbers = same_person_ids(player.pk for player in players)
    owners = {one: pk for pk, ids in numbers.items() for one in ids}
    current = {
        (row.player_id, row.system): row
        for row in PlayerRating.objects.filter(player__in=numbers).select_related(
            "last_change__calculation__section__event",
            "last_change__calculation__foreign__event",
        )
    }
    listed = OfficialRating.objects.filter(list=newest, player__in=owners)
    official = {
        (owners[row.player_id], row.system): official_number(row)
        for row in (listed.order_by(*OfficialRating.KEPT_LAST) if newest else ())
    }
    chains = chains_of(numbers)
    titles = _titles(chains, owners)
    corrections = _corrections(user, owners)
    states = {player.state for player in players} - {""}
    rank = Window(RowNumber(), partition_by="state", order_by=["starts", "pk"])
    next_events = planned(today).filter(state__in=states).annotate(rank=rank)
    upcoming = list(next_events.filter(rank__lte=MAX_EVENTS))
    cards = []
    for player in players:
        pk = player.pk
        rated = [one for one in System if (pk, one) in current]
        card = MemberCard(
            player,
            ratings=[
                (SystemStanding(one, current[pk, one].rating), official.get((pk, one)))
                for one in rated
            ],
            outcome=_last_outcome(
                player, [current[pk, one].last_change for one in rated]
            ),
            chart=_chart(player, chains[pk], rated[0]) if rated else "",
            titles=titles[pk],
            corrections=corrections[pk],
            upcoming=[one for one in upcoming if one.state == player.state],
        )
        cards.append(card)
    return cards


def _last_outcome(player: Player, lines: Iterable[RatingChange]) -> dict[str, Any]:
    """Return the last event's outcome. *lines* are in the order of the systems."""
    played = [line for line in lines if line.games]
    if not played:
        return {}
    line = max(played, key=lambda line: line.calculation.order_key)
    outcome = headline_of(line, rules_for_day(line.calculation.rules_day))
    return outcome | {"place": place_of(line.calculation, player)}


def _chart(player: Player, chain: list[Link], system: System) -> str:
    points = points_of(chain)[system]
    svg = rating_chart(
        [Series(_(system.label), points)],
        title=_("Ratings of {name}").format(name=player.name),
        chart_id=f"chart-{player.member_id}",
        height=180,
    )
    return mark_safe(svg)  # noqa: S308 (the chart escapes every text in it)


def _titles(
    chains: dict[int, list[Link]], owners: dict[int, int]
) -> dict[int, list[TitleProgress]]:
    """Return the titles toward which each member has norms, the highest first."""
    lines = {
        pk: [one.rated for one in sorted(chain, key=lambda link: (link.place, link.pk))]
        for pk, chain in chains.items()
    }
    sections = {one for of_one in lines.values() for one in norm_sections(of_one)}
    met, stored = games_of_people(owners, sections), stored_titles(owners)
    return {
        pk: [
            one
            for one in title_progress(of_one, met.get(pk, {}))
            if one.norms
            and one.day is None
            and one.title.level not in stored.get(pk, {})
        ]
        for pk, of_one in lines.items()
    }


def _corrections(user: User, owners: dict[int, int]) -> Counter[int]:
    """Count the account's open correction requests about events of each member."""
    mine = CorrectionRequest.objects.open().filter(asked_by=user)
    pairs = Entry.objects.filter(
        player__in=owners, section__correction_requests__in=mine
    ).values_list("player", "section__correction_requests")
    return Counter(owners[player] for player, _request in pairs.distinct())
