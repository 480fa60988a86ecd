"""Checks of a report against the office's own records.

What a report says by itself is checked in ``events.importers.checks``; what needs
ratings is checked by those who own them (``events.registry``).
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from django.db.models import Count, Q
from django.utils import timezone

from events.deadlines import due_day_of
from events.foreign_queries import RatedAbroad, rated_abroad
from events.importers.findings import Finding, Place, Severity
from events.importers.games import games_in
from events.importers.records import EntryReport, EventReport, SectionReport
from events.importers.sentences import say
from events.models import Affiliate, Event, Official, Submission
from events.played import played_games
from events.queries import members_of
from events.registry import office_may_override
from events.services.identity_checks import check_identities
from events.services.plausibility import check_plausibility
from players.models import Player
from ratings_site.common.figures import day as in_words

# Two events with so many members in common on the same days are one event.
SAME_EVENT_SHARE = 0.8
# Whether games count twice is for staff to decide: they know both events.
RATED_ABROAD = office_may_override("section.rated_abroad")


def check_against_records(
    report: EventReport, *, submission: Submission | None = None
) -> list[Finding]:
    """Return the findings that need the office's records."""
    members = members_of(report)
    return [
        *_check_affiliate(report, submission),
        *_check_directors(report),
        *_check_dates(report),
        *_check_members(report, members),
        *check_identities(report, members),
        *_check_own_games(report),
        *_check_rounds(report),
        *_check_received_before(report, members, submission),
        *_check_rated_abroad(report, members, submission),
        *check_plausibility(report, members, submission=submission),
    ]


def _check_affiliate(
    report: EventReport, submission: Submission | None
) -> Iterator[Finding]:
    if not report.affiliate_id or report.ends is None:
        return  # said by the checks of the report itself
    affiliate = Affiliate.objects.filter(affiliate_id=report.affiliate_id).first()
    place = Place(field="affiliate_id")
    if affiliate is None:
        yield Finding(
            Severity.ERROR,
            "affiliate.unknown",
            place,
            say(
                "No affiliate has the ID {affiliate_id}.",
                affiliate_id=report.affiliate_id,
            ),
            say("Correct the affiliate ID; it is a letter and seven digits."),
        )
    elif affiliate.expires < report.ends:
        yield Finding(
            Severity.ERROR,
            "affiliate.expired",
            place,
            say(
                "The affiliation of {name} ended on {expires}, before the event did.",
                name=affiliate.name,
                expires=in_words(affiliate.expires),
            ),
            say("The affiliate has to renew before the event can be rated."),
        )
    else:
        yield from _check_authorised(report, affiliate, submission)


def _check_authorised(
    report: EventReport, affiliate: Affiliate, submission: Submission | None
) -> Iterator[Finding]:
    """Find a TD who is not on the affiliate's list, if it keeps one.

    It is the TD who sends the report; if staff do, the chief director named in it.
    """
    authorised = set(affiliate.official_set.values_list("player__member_id", flat=True))
    if not authorised:
        return
    sender = _sender_of(submission)
    member_id = sender.player.member_id if sender else report.chief_td_id
    if member_id in authorised or not _is_member_id(member_id):
        return
    who = (
        sender.player.name
        if sender
        else say("the chief director, {member_id},", member_id=member_id)
    )
    yield Finding(
        Severity.CONFIRM,
        f"affiliate.td_not_authorised.{member_id}",
        Place(field="affiliate_id"),
        say(
            "{name} has not authorised {who} to report for it.",
            name=affiliate.name,
            who=who,
        ),
        say(
            "Have the affiliate tell the office that it authorises this director, or "
            "say "
            "who of the affiliate agreed to the report."
        ),
    )


def _sender_of(submission: Submission | None) -> Official | None:
    """Return the TD who sent the report; nobody if staff did."""
    if submission is None:
        return None
    return (
        Official.objects.filter(player__account=submission.uploaded_by_id)
        .select_related("player")
        .first()
    )


def _check_directors(report: EventReport) -> Iterator[Finding]:
    if report.ends is None:
        return
    named = list(_directors(report))
    officials = {
        official.player.member_id: official
        for official in Official.objects.filter(
            player__member_id__in={member_id for _, member_id in named}
        ).select_related("player")
    }
    for place, member_id in named:
        yield from _check_director(
            report.ends, place, member_id, officials.get(member_id)
        )


def _directors(report: EventReport) -> Iterator[tuple[Place, str]]:
    """Yield everybody named as a director, and where, if it can be a member's ID."""
    named = [
        (Place(field="chief_td_id"), report.chief_td_id),
        (Place(field="assistant_td_id"), report.assistant_td_id),
        *((Place(field="other_td_ids"), other) for other in report.other_td_ids),
    ]
    for section in report.sections:
        for field in ("chief_td_id", "assistant_td_id"):
            place = Place(section=section.number, field=field)
            named.append((place, getattr(section, field)))
    for place, member_id in named:
        if _is_member_id(member_id):  # else said by the checks of the report itself
            yield place, member_id


def _check_director(
    ends: date, place: Place, member_id: str, official: Official | None
) -> Iterator[Finding]:
    if official is None:
        yield Finding(
            Severity.ERROR,
            f"director.unknown.{member_id}",
            place,
            say(
                "{member_id} is not the member ID of a tournament director.",
                member_id=member_id,
            ),
            say("Correct the ID of the director."),
        )
    elif official.certified_until < ends:
        yield Finding(
            Severity.ERROR,
            f"director.lapsed.{member_id}",
            place,
            say(
                "The certification of {name} ended on "
                "{certified_until}, before the event did.",
                name=official.player.name,
                certified_until=in_words(official.certified_until),
            ),
            say("Name a director who was certified, or renew the certification."),
        )


def _check_dates(report: EventReport) -> Iterator[Finding]:
    if report.ends is None:
        return
    today = timezone.localdate()
    if report.ends > today:
        yield Finding(
            Severity.ERROR,
            "event.not_over",
            Place(field="ends"),
            say(
                "The event ends on {ends}, which is still to come.",
                ends=in_words(report.ends),
            ),
            say("Correct the date, or report the event when it is over."),
        )
    elif (due := due_day_of(report)) is not None and today > due:
        yield Finding(
            Severity.NOTE,
            "event.late",
            Place(field="ends"),
            say("The report was due on {due}.", due=in_words(due)),
            say("Late reports are taken all the same."),
        )


def _check_members(
    report: EventReport, members: dict[str, Player]
) -> Iterator[Finding]:
    for section in report.sections:
        for entry in section.entries:
            if not _is_member_id(entry.member_id):
                continue  # said by the checks of the report itself
            place = Place(
                section=section.number,
                pairing_number=entry.pairing_number,
                field="member_id",
            )
            player = members.get(entry.member_id)
            if player is None:
                yield Finding(
                    Severity.ERROR,
                    "member.unknown",
                    place,
                    say("No member has the ID {member_id}.", member_id=entry.member_id),
                    say("Look the member up by name and correct the ID."),
                )
            else:
                yield from _check_member(report, section, entry, player, place)


def _check_own_games(report: EventReport) -> Iterator[Finding]:
    """Find games between two pairing numbers of one member."""
    for section in report.sections:
        ids = {entry.pairing_number: entry.member_id for entry in section.entries}
        for game in games_in(section):
            if _is_member_id(ids[game.first]) and ids[game.first] == ids[game.second]:
                yield Finding(
                    Severity.ERROR,
                    "member.plays_own_entry",
                    Place(
                        section=section.number,
                        pairing_number=game.first,
                        round_number=game.first_round,
                    ),
                    say(
                        "Pairing number {second} is the same member, "
                        "{ids}; nobody plays against himself or herself.",
                        second=game.second,
                        ids=ids[game.first],
                    ),
                    say("Correct the member ID of one of the two, or the result."),
                )


def _check_rounds(report: EventReport) -> Iterator[Finding]:
    """Find two games of one player in one round: the books have room for one.

    It takes a round robin by opponents in which a cell stands in a wrong column.
    """
    for section in report.sections:
        taken: set[tuple[int, int, int]] = set()
        for game in played_games(section):
            for number in (game.first, game.second):
                place = (number, game.round_number, game.leg)
                if place in taken:
                    yield Finding(
                        Severity.ERROR,
                        f"result.two_games.{game.first}.{game.second}",
                        Place(section=section.number, pairing_number=number),
                        say(
                            "The game between {first} and {second} falls in "
                            "round {round_number}, in which pairing number {number} "
                            "has another game.",
                            first=game.first,
                            second=game.second,
                            round_number=game.round_number,
                            number=number,
                        ),
                        say("Put each result in the column of its opponent."),
                    )
                taken.add(place)


def _is_member_id(text: str) -> bool:
    """Tell whether the text can be looked up; eight zeros mean that there is none."""
    return len(text) == 8 and text.isascii() and text.isdigit() and text != "00000000"


def _check_member(
    report: EventReport,
    section: SectionReport,
    entry: EntryReport,
    player: Player,
    place: Place,
) -> Iterator[Finding]:
    if player.status in (Player.Status.DECEASED, Player.Status.DUPLICATE):
        yield Finding(
            Severity.ERROR,
            f"member.{player.status}",
            place,
            say(
                "The ID {member_id} is marked “{lower}” in the office's records.",
                member_id=entry.member_id,
                lower=player.get_status_display().lower(),
            ),
            say("Find the ID under which this person plays now."),
        )
        return
    if player.status != Player.Status.ACTIVE:
        yield Finding(
            Severity.CONFIRM,
            f"member.{player.status}",
            place,
            say(
                "{name} is marked “{lower}”.",
                name=player.name,
                lower=player.get_status_display().lower(),
            ),
            say("Check the ID; if it is right, say why the player was admitted."),
        )
    yield from _check_membership(report, section, player, place)


def _check_membership(
    report: EventReport,
    section: SectionReport,
    player: Player,
    place: Place,
) -> Iterator[Finding]:
    days = {
        "began": section.starts or report.starts,
        "ended": section.ends or report.ends,
    }
    missing = [
        word for word, day in days.items() if day and not player.was_member_on(day)
    ]
    if missing:
        yield Finding(
            Severity.CONFIRM,
            "member.lapsed",
            place,
            say(
                "{name} was not a member when the section {missing}.",
                name=player.name,
                missing=" and ".join(missing),
            ),
            say("The membership has to be renewed; if it has been, say so."),
        )


def _check_received_before(
    report: EventReport, members: dict[str, Player], submission: Submission | None
) -> Iterator[Finding]:
    """Find an accepted event of the same days with mostly the same members."""
    if report.ends is None or not members:
        return
    member = "sections__entries__player"
    ours = Q(**{f"{member}__in": [player.pk for player in members.values()]})
    events = (
        Event.objects.filter(ends=report.ends)
        .exclude(submission_id=submission.pk if submission else None)
        .annotate(
            in_both=Count(member, filter=ours, distinct=True),
            in_theirs=Count(member, distinct=True),
        )
        .filter(in_both__gt=0)
        .order_by("event_id")
    )
    for event in events:
        smaller = min(len(members), event.in_theirs)
        if event.in_both >= SAME_EVENT_SHARE * smaller:
            yield Finding(
                Severity.CONFIRM,
                f"event.received_before.{event.event_id}",
                Place(field="name"),
                say(
                    "{name} ({event_id}) ended on the same day with mostly "
                    "the same players. It is in the books already.",
                    name=event.name,
                    event_id=event.event_id,
                ),
                say("Withdraw this report if it is the same event."),
            )


def _check_rated_abroad(
    report: EventReport, members: dict[str, Player], submission: Submission | None
) -> Iterator[Finding]:
    """Find games that have been rated already, as those of a foreign event."""
    if submission is not None and submission.state == Submission.State.ACCEPTED:
        return  # what is entered abroad later is checked against the books there
    found: defaultdict[int, list[RatedAbroad]] = defaultdict(list)
    for one in rated_abroad(report, members):
        found[one.section].append(one)
    for number, doubles in found.items():
        said = [f"{one.player.name}: {one.double.sentence}" for one in doubles]
        yield Finding(
            Severity.ERROR,
            RATED_ABROAD,
            Place(section=number, field="name"),
            say(
                "Games of this section have been rated already. {said}",
                said=" ".join(said),
            ),
            say(
                "No game is rated twice. Withdraw the report if it is the same "
                "event. The "
                "office can let it pass, with a reason, or leave the results abroad "
                "out."
            ),
        )
