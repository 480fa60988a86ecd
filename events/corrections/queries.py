"""Queries about corrections and versions."""

from collections import Counter
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Q

from events.access import is_account_of
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
    directed = EventOfficial.objects.filter(
        Q(section_number=None) | Q(section_number=section.number),
        event=section.event_id,
    ).values("player")
    directs = Q(player__in=directed) | Q(player__duplicates__in=directed)
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
        Q(submission__uploaded_by=user) | is_account_of(user, "officials__player")
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
    documents = _shown_documents(versions)
    for version, document in zip(versions, documents, strict=True):
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


def _shown_documents(versions: Sequence[SectionVersion]) -> list[SectionDocument]:
    """Return the versions' documents, without names as reported that are hidden."""
    documents = [SectionDocument.from_text(version.document) for version in versions]
    sections = [version.section_id for version in versions]
    number = Counter(sections)
    found = Counter(
        (section, entry)
        for section, document in zip(sections, documents, strict=True)
        for entry in document.entries
    )
    # Only what differs between versions is shown.
    changed = {
        entry.player for (section, entry), n in found.items() if n < number[section]
    }
    if not changed:
        return documents
    hidden = _hidden_places(sections, documents, changed)
    return [
        replace(
            one,
            entries=tuple(
                entry._replace(name="") if (section, entry.number) in hidden else entry
                for entry in one.entries
            ),
        )
        for section, one in zip(sections, documents, strict=True)
    ]


def _hidden_places(
    sections: Sequence[int], documents: Sequence[SectionDocument], players: Set[int]
) -> set[tuple[int, int]]:
    """Return the sections and pairing numbers where one of *players* is hidden.

    In another version the same name may be reported under another ID, or none.
    """
    private = Player.objects.filter(is_private=True, pk__in_array=players)
    hidden = {player.pk for player in private if player.is_name_hidden}
    return {
        (section, entry.number)
        for section, document in zip(sections, documents, strict=True)
        for entry in document.entries
        if entry.player in hidden
    }


def hidden_names(section: int) -> set[str]:
    """Return the reported names in a section's versions that are hidden."""
    texts = SectionVersion.objects.filter(section=section).values_list("document")
    documents = [SectionDocument.from_text(text) for (text,) in texts]
    entries = [entry for document in documents for entry in document.entries]
    places = _hidden_places(
        [section] * len(documents), documents, {entry.player for entry in entries}
    )
    return {one.name for one in entries if one.name and (section, one.number) in places}


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
        Player.objects.filter(
            Q(pk__in=directed)
            | Q(duplicates__in=directed)
            | Q(merged_into__in=directed)
            | Q(account__in=accounts)
            | Q(merged_into__account__in=accounts)
        )
        .filter(entries__section__event=event)
        .distinct()
    )
    return [
        PlayingDirector(str(player), player.member_id in corrected)
        for player in players
    ]
