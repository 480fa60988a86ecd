"""Checks of a report against the office's own records.

The report itself is checked in ``events.formats.checks.report``; checks that need
ratings are in the section rater (``events.records.section_rater``).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from events.access import officials_by_id, td_records
from events.checks.queries.identity import (
    EXCLUDED_STATUSES,
    check_identities,
    entry_place,
)
from events.checks.queries.members import members_of, officials_of
from events.checks.queries.newcomers import assigned_member_ids, newcomers_of
from events.checks.queries.plausibility import check_plausibility
from events.foreign.queries import rated_abroad
from events.formats.findings import Finding, Place, make_finding
from events.formats.played_games import played_games, section_games
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_id,
)
from events.formats.translatable_text import translatable_date
from events.models import (
    Affiliate,
    Entry,
    Event,
    Official,
    PendingMember,
    Section,
    Submission,
)
from events.records.deadlines import report_due_date
from players.formats.member_ids import MEMBER_ID
from players.models import Player

# Two events of the same days with this share of members in common are one.
SAME_EVENT_SHARE = 0.8
_DIRECTOR_FIELDS = {
    "chief": "chief_td_id",
    "assistant": "assistant_td_id",
    "other": "other_td_ids",
}


def check_against_records(
    reported: ReportedEvent, *, submission: Submission | None = None
) -> list[Finding]:
    """Return the findings that need the office's records."""
    members = members_of(reported)
    newcomers = newcomers_of(submission)
    settled = assigned_member_ids(newcomers.values())
    doubtful = {key: one for key, one in members.items() if key not in settled}
    return [
        *_check_affiliate(reported, submission),
        *_check_directors(reported),
        *_check_dates(reported),
        *_check_registration(submission),
        *_check_newcomers(reported, newcomers),
        *_check_members(reported, members, settled),
        *check_identities(reported, doubtful),
        *_check_own_games(reported),
        *_check_rounds(reported),
        *_check_received_before(reported, members, submission),
        *_check_rated_abroad(reported, members, submission),
        *check_plausibility(reported, members, submission=submission),
    ]


def _check_affiliate(
    reported: ReportedEvent, submission: Submission | None
) -> Iterator[Finding]:
    if not reported.affiliate_id or reported.ends is None:
        return  # checked with the report itself
    affiliate = Affiliate.objects.filter(affiliate_id=reported.affiliate_id).first()
    place = Place(field="affiliate_id")
    if affiliate is None:
        yield make_finding(
            "affiliate.unknown", place, affiliate_id=reported.affiliate_id
        )
    elif affiliate.expires < reported.ends:
        yield make_finding(
            "affiliate.expired",
            place,
            name=affiliate.name,
            expires=translatable_date(affiliate.expires),
        )
    else:
        yield from _check_authorized(reported, affiliate, submission)


def _check_authorized(
    reported: ReportedEvent, affiliate: Affiliate, submission: Submission | None
) -> Iterator[Finding]:
    """Find a TD who is not on the affiliate's list, if it keeps one.

    Check the sender, or the named chief TD if staff sent the report. An affiliate may
    insist on its list; otherwise the TD can say who agreed.
    """
    authorized = set(affiliate.official_set.values_list("player__member_id", flat=True))
    if not authorized and not affiliate.is_exclusive:
        return
    sender = _sender_of(submission)
    member_id = sender.player.member_id if sender else reported.chief_td_id
    if member_id in authorized or not _is_member_id(member_id):
        return
    code = "td_not_listed" if affiliate.is_exclusive else "td_not_authorized"
    yield make_finding(
        f"affiliate.{code}" + ("" if sender else "/chief"),
        Place(field="affiliate_id"),
        about="" if affiliate.is_exclusive else member_id,
        name=affiliate.name,
        sender=sender.player.name if sender else "",
        member_id=member_id,
    )


def _sender_of(submission: Submission | None) -> Official | None:
    """Return the TD who sent the report, or None if staff did."""
    if submission is None:
        return None
    return td_records(account=submission.uploaded_by_id).first()


def _check_directors(reported: ReportedEvent) -> Iterator[Finding]:
    if reported.ends is None:
        return
    named = list(_directors(reported))
    officials = officials_by_id(member_id for _, member_id in named)
    for place, member_id in named:
        official = officials.get(member_id)
        if official is None:
            yield make_finding(
                "director.unknown", place, about=member_id, member_id=member_id
            )
        elif official.certified_until < reported.ends:
            yield make_finding(
                "director.lapsed",
                place,
                about=member_id,
                name=official.player.name,
                certified_until=translatable_date(official.certified_until),
            )
        if official is None or official.safe_play_until is None:
            continue
        if official.safe_play_until < reported.ends:
            yield make_finding(
                "director.safe_play",
                place,
                about=member_id,
                name=official.player.name,
                safe_play_until=translatable_date(official.safe_play_until),
            )


def _directors(reported: ReportedEvent) -> Iterator[tuple[Place, str]]:
    """Yield the member ID and place of everyone named as a director."""
    for number, role, member_id in officials_of(reported):
        if _is_member_id(member_id):  # others are checked with the report itself
            yield Place(section=number, field=_DIRECTOR_FIELDS[role]), member_id


def _check_dates(reported: ReportedEvent) -> Iterator[Finding]:
    if reported.ends is None:
        return
    today = timezone.localdate()
    if reported.ends > today:
        yield make_finding(
            "event.not_over", Place(field="ends"), ends=translatable_date(reported.ends)
        )
    elif (due := report_due_date(reported)) is not None and today > due:
        yield make_finding(
            "event.late", Place(field="ends"), due=translatable_date(due)
        )


def _check_registration(submission: Submission | None) -> Iterator[Finding]:
    """Find a registered event with other days or another affiliate (one query)."""
    registered = getattr(submission, "registration", None)
    if submission is None or registered is None:
        return
    about = f"registered-{registered.pk}"
    if submission.days and not registered.is_planned_for(submission.days):
        is_one_day = registered.starts == registered.ends
        yield make_finding(
            "event.registered_days" + ("" if is_one_day else "/several"),
            Place(field="starts"),
            about=about,
            name=registered.name,
            day=translatable_date(registered.starts),
            first_day=translatable_date(registered.starts),
            last_day=translatable_date(registered.ends),
        )
    if submission.affiliate_id not in (None, registered.affiliate_id):
        yield make_finding(
            "event.registered_affiliate",
            Place(field="affiliate_id"),
            about=about,
            name=registered.name,
            affiliate=registered.affiliate.name,
        )


def _check_newcomers(
    reported: ReportedEvent, newcomers: Mapping[str, PendingMember]
) -> Iterator[Finding]:
    """Find new members without an ID. No other facts are shown to the sender."""
    for section in reported.sections:
        for entry in section.entries:
            if not is_temporary_id(entry.member_id):
                continue
            place = entry_place(section, entry)
            newcomer = newcomers.get(entry.member_id)
            if newcomer is None:
                yield make_finding("newcomer.unknown", place, number=entry.member_id)
            else:
                yield make_finding("newcomer.waits", place, name=newcomer.name)


def _check_members(
    reported: ReportedEvent, members: dict[str, Player], settled: set[str]
) -> Iterator[Finding]:
    """Check the members of the entries; the office has *settled* its new ones."""
    for section in reported.sections:
        for entry in section.entries:
            if not _is_member_id(entry.member_id):
                continue  # checked with the report itself
            place = entry_place(section, entry)
            player = members.get(entry.member_id)
            if player is None:
                yield make_finding("member.unknown", place, member_id=entry.member_id)
            else:
                yield from _check_status(entry, player, place)
                if entry.member_id not in settled:
                    yield from _check_membership(reported, section, player, place)


def _check_own_games(reported: ReportedEvent) -> Iterator[Finding]:
    """Find games between two pairing numbers of one member."""
    for section in reported.sections:
        ids = {entry.pairing_number: entry.member_id for entry in section.entries}
        for game in section_games(section):
            if _is_member_id(ids[game.first]) and ids[game.first] == ids[game.second]:
                yield make_finding(
                    "member.plays_own_entry",
                    Place("", section.number, game.first, game.first_round),
                    second=game.second,
                    ids=ids[game.first],
                )


def _check_rounds(reported: ReportedEvent) -> Iterator[Finding]:
    """Find two games of one player in one round: only one can be stored.

    It takes a round robin by opponents with a cell in a wrong column.
    """
    for section in reported.sections:
        taken: set[tuple[int, int, int]] = set()
        for game in played_games(section):
            for number in (game.first, game.second):
                place = (number, game.round_number, game.leg)
                if place in taken:
                    yield make_finding(
                        "result.two_games",
                        Place(section=section.number, pairing_number=number),
                        about=f"{game.first}.{game.second}",
                        first=game.first,
                        second=game.second,
                        round_number=game.round_number,
                        number=number,
                    )
                taken.add(place)


def _is_member_id(text: str) -> bool:
    """Return whether the text can be looked up; zeros mean no ID."""
    return MEMBER_ID.shape.fullmatch(text) is not None and text.strip("0") != ""


def _check_status(
    entry: ReportedEntry, player: Player, place: Place
) -> Iterator[Finding]:
    code = f"member.{player.status}"
    if player.status in EXCLUDED_STATUSES:
        yield make_finding(code, place, member_id=entry.member_id)
    elif player.status != Player.Status.ACTIVE:
        yield make_finding(code, place, name=player.name)


def _check_membership(
    reported: ReportedEvent, section: ReportedSection, player: Player, place: Place
) -> Iterator[Finding]:
    if player.status in EXCLUDED_STATUSES:
        return
    days = {
        "began": section.starts or reported.starts,
        "ended": section.ends or reported.ends,
    }
    missing = [
        word for word, day in days.items() if day and not player.was_member_on(day)
    ]
    if missing:
        only = f"/{missing[0]}" if len(missing) == 1 else ""
        yield make_finding(f"member.lapsed{only}", place, name=player.name)


def _check_received_before(
    reported: ReportedEvent, members: dict[str, Player], submission: Submission | None
) -> Iterator[Finding]:
    """Find an accepted event of the same days with mostly the same members.

    One query, and another one if a member played in such an event.
    """
    if reported.ends is None or not members:
        return
    both = (
        Entry.objects.filter(
            section__event__ends=reported.ends,
            player__in=[player.pk for player in members.values()],
        )
        .exclude(section__event__submission_id=submission.pk if submission else 0)
        .order_by()
        .values_list("section__event", "player")
        .distinct()
    )
    in_both: Counter[Any] = Counter(event for event, _ in both)
    if not in_both:
        return
    member = Count("sections__entries__player", distinct=True)
    of_before = Q(sections__status=Section.Status.IMPORTED)
    events = Event.objects.filter(pk__in=in_both).annotate(
        in_theirs=member, taken_over=Count("sections", filter=of_before)
    )
    for event in events.order_by("event_id"):
        smaller = min(len(members), event.in_theirs)
        if in_both[event.pk] >= SAME_EVENT_SHARE * smaller:
            yield make_finding(
                "event.received_before" + ("/imported" if event.taken_over else ""),
                Place(field="name"),
                about=event.event_id,
                name=event.name,
                event_id=event.event_id,
            )


def _check_rated_abroad(
    reported: ReportedEvent, members: dict[str, Player], submission: Submission | None
) -> Iterator[Finding]:
    """Find games that have already been rated in a foreign event."""
    if submission is not None and submission.state == Submission.State.ACCEPTED:
        return  # foreign events entered later are checked against this one
    abroad: defaultdict[int, list[str]] = defaultdict(list)
    for number, player, double in rated_abroad(reported, members):
        abroad[number].append(f"{player.name}: {double.sentence}")
    for number, sentences in abroad.items():
        place = Place(section=number, field="name")
        yield make_finding("section.rated_abroad", place, said=" ".join(sentences))
