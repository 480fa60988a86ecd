"""Queries about corrections and versions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from events.models import (
    CorrectionRequest,
    Event,
    EventOfficial,
    Section,
    SectionVersion,
)
from events.models.documents import Difference, SectionDocument, diff
from events.models.event import EVENT_ID
from events.records.section_rater import RatingNote, section_rater
from players.models import Player
from ratings_site.common.models import User
from ratings_site.common.models.review_item import ReviewQuerySet

# An open request older than this is overdue.
OVERDUE_AFTER = timedelta(days=7)


def td_accounts(section: Section) -> list[User]:
    """Return the accounts of the report's sender and of the directors of a section."""
    directs = Q(player__eventofficial__event=section.event_id) & (
        Q(player__eventofficial__section_number=None)
        | Q(player__eventofficial__section_number=section.number)
    )
    sent = Q(submissions__event=section.event_id)
    return list(User.objects.filter(directs | sent).distinct().order_by("pk"))


def _requests() -> ReviewQuerySet[CorrectionRequest]:
    return CorrectionRequest.objects.select_related(
        "section__event", "asked_by", "td_by", "decided_by", "version"
    )


def request_by_pk(pk: int) -> CorrectionRequest | None:
    return (
        _requests()
        .select_related("section__event__submission", "section__event__affiliate")
        .filter(pk=pk)
        .first()
    )


def requests_concerning(user: User) -> ReviewQuerySet[CorrectionRequest]:
    """Return the requests a user made or may confirm as the TD, newest first."""
    events = Event.objects.filter(
        Q(submission__uploaded_by=user) | Q(officials__player__account=user)
    )
    return _requests().filter(
        Q(asked_by=user) | Q(section__event__in=events.values("pk"))
    )


def requests_about(
    event: Event, user: User, *, is_office: bool
) -> list[CorrectionRequest]:
    """Return the open requests about an event that involve *user*."""
    requests = _requests() if is_office else requests_concerning(user)
    return list(requests.open().filter(section__event=event).order_by("pk"))


def open_requests() -> ReviewQuerySet[CorrectionRequest]:
    """Return the open requests, oldest first."""
    return _requests().open().order_by("asked_at", "pk")


def decided_requests() -> ReviewQuerySet[CorrectionRequest]:
    return _requests().decided()


def is_overdue(request: CorrectionRequest, now: datetime) -> bool:
    return request.is_open and now - request.asked_at > OVERDUE_AFTER


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version of a section, and its differences from the version before."""

    version: SectionVersion
    differences: tuple[Difference, ...]
    ratings: RatingNote | None

    @property
    def is_first(self) -> bool:
        return self.version.number == 1


def corrections_of(sections: Sequence[Section]) -> list[VersionLine]:
    """Return every correction of these sections, newest first.

    Sections that were never corrected cost no queries.
    """
    corrected = {section.pk: section for section in sections if section.version > 1}
    if not corrected:
        return []
    lines = [line for line in _lines(corrected) if not line.is_first]
    return sorted(lines, key=lambda line: line.version.made_at, reverse=True)


def history_of(section: Section) -> list[VersionLine]:
    """Return all versions of a section, oldest first."""
    return _lines({section.pk: section})


def _lines(sections: dict[int, Section]) -> list[VersionLine]:
    versions = list(
        SectionVersion.objects.filter(section__in=sections).order_by(
            "section", "number"
        )
    )
    for version in versions:
        version.section = sections[version.section_id]
    notes = section_rater().rating_notes(versions)
    lines: list[VersionLine] = []
    before: dict[int, SectionDocument] = {}
    for version in versions:
        document = SectionDocument.from_text(version.document)
        earlier = before.get(version.section_id)
        lines.append(
            VersionLine(
                version,
                tuple(diff(earlier, document)) if earlier else (),
                notes.get(version.pk),
            )
        )
        before[version.section_id] = document
    return lines


def version_of(section: Section, number: int) -> SectionVersion | None:
    return section.versions.filter(number=number).first()


def section_at(event_id: str, number: int) -> Section | None:
    """Return a section with its event's related rows, as its pages need them."""
    if not EVENT_ID.fullmatch(event_id):
        return None
    return (
        Section.objects.select_related("event__affiliate", "event__submission")
        .filter(event__event_id=event_id, number=number)
        .first()
    )


@dataclass(frozen=True, slots=True)
class PlayingDirector:
    """A TD who is responsible for an event and plays in it."""

    name: str
    in_corrected_rows: bool


def playing_directors(
    request: CorrectionRequest, corrected: Collection[str]
) -> list[PlayingDirector]:
    """Return the players who directed, sent or confirmed the event (one query).

    *corrected* are the member IDs in the rows that the correction changes.
    """
    event = request.section.event
    directed = EventOfficial.objects.filter(event=event).values("player")
    answers = Q(submissions__event=event) | Q(pk=request.td_by_id)
    accounts = User.objects.filter(answers)
    players = (
        Player.objects.filter(Q(pk__in=directed) | Q(account__in=accounts))
        .filter(entries__section__event=event)
        .distinct()
    )
    return [
        PlayingDirector(str(player), player.member_id in corrected)
        for player in players
    ]
