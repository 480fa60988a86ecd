"""Members found by the numbers of a report that has no member IDs.

Programs without a column for member IDs put them into the column of FIDE IDs. The
readers see only numbers; here the names of the members decide.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from django.db.models import Q

from events.checks.name_matching import name_match, words_of
from events.formats.findings import Finding, Place, make_finding
from events.formats.report import ReportedEntry, ReportedSection
from events.formats.report_reader import Format, ReadResult
from players.formats.member_ids import MEMBER_ID
from players.models import FideList, FidePlayer, Player

# Findings of readers that took all numbers for member IDs.
_ID_QUESTIONS = ("trf.member_ids", "table.member_ids")


def with_members(result: ReadResult) -> ReadResult:
    """Return the result with the member IDs that its numbers give.

    Only entries without a member ID are filled in: where the number is a member's FIDE
    ID, or the member ID of a member with that name. If at least half of a section's
    numbers are such member IDs, its other numbers of that form become member IDs too,
    unless they are on FIDE's list; the checks compare the names. The questions of
    a reader are answered in the same way. At most two queries.
    """
    if result.reported is None:
        return result
    asked = [finding for finding in result.findings if finding.code in _ID_QUESTIONS]
    columns = [_Column(section, asked) for section in result.reported.sections]
    players = _players({number for one in columns for number in one.numbers.values()})
    for column in columns:
        column.compare(players)
    rest = {number for column in columns for number in column.rest.values()}
    listed = _listed_by_fide(rest)
    sections = tuple(column.filled(listed, result.format) for column in columns)
    findings = [finding for column in columns for finding in column.findings()]
    if all(column.has_member_ids for column in columns if column.is_id_column):
        findings += [finding for finding in result.findings if finding not in asked]
    else:
        findings += result.findings
    reported = replace(result.reported, sections=sections)
    return replace(result, reported=reported, findings=findings)


class _Column:
    """The numbers of a section's entries by position, and their meaning."""

    def __init__(self, section: ReportedSection, asked: Iterable[Finding]) -> None:
        self.section = section
        self.is_id_column = any(
            one.place.section in (None, section.number) for one in asked
        )
        self.numbers = {
            place: number
            for place, entry in enumerate(section.entries)
            if (number := self._number(entry))
        }
        self.by_fide_id: dict[int, Player] = {}
        self.by_name: set[int] = set()
        self.by_remaining: set[int] = set()

    def _number(self, entry: ReportedEntry) -> str:
        if _has_no_member_id(entry):
            return entry.normalized_fide_id
        return entry.member_id if self.is_id_column else ""

    def compare(self, players: Collection[Player]) -> None:
        """Find the numbers that are a member's FIDE ID, or a member ID by name."""
        holders = {player.fide_id: player for player in players}
        members = {player.member_id: player for player in players}
        for place, number in self.numbers.items():
            entry = self.section.entries[place]
            holder = holders.get(number)
            if holder and (_has_no_member_id(entry) or _is_name_of(holder, entry)):
                self.by_fide_id[place] = holder
            member = members.get(number)
            if member and _is_name_of(member, entry):
                self.by_name.add(place)
                self.by_fide_id.pop(place, None)

    @property
    def has_member_ids(self) -> bool:
        return bool(self.by_name) and 2 * len(self.by_name) >= len(self.numbers)

    @property
    def rest(self) -> dict[int, str]:
        """The numbers that are member IDs if those of the other entries are."""
        return {
            place: number
            for place, number in self.numbers.items()
            if self.has_member_ids
            and place not in self.by_name
            and place not in self.by_fide_id
            and MEMBER_ID.whole.fullmatch(number)
        }

    def filled(
        self, listed: Collection[str], format_: Format | None
    ) -> ReportedSection:
        """Return the section with the member IDs found, except those *listed*."""
        self.by_remaining = {
            place for place, number in self.rest.items() if number not in listed
        }
        entries = list(self.section.entries)
        for place in self.by_name | self.by_remaining:
            if _has_no_member_id(entries[place]):
                entries[place] = _with_own_number(entries[place], format_)
        for place, holder in self.by_fide_id.items():
            entry = entries[place]
            entries[place] = replace(
                entry,
                member_id=holder.member_id,
                fide_id=entry.fide_id or self.numbers[place],
            )
        return replace(self.section, entries=tuple(map(_without_repeated_id, entries)))

    def findings(self) -> Iterator[Finding]:
        place = Place(section=self.section.number, field="entries")
        if count := len(self.by_fide_id):
            yield make_finding(
                "member.by_fide_id/one" if count == 1 else "member.by_fide_id",
                place,
                count=count,
            )
        if not self.by_name:
            return
        if self.by_remaining:
            which = "/section"
        else:
            which = "/one" if len(self.by_name) == 1 else ""
        yield make_finding(
            f"member.by_number{which}",
            place,
            matched=len(self.by_name),
            count=len(self.by_name) + len(self.by_remaining),
        )


def _has_no_member_id(entry: ReportedEntry) -> bool:
    return not entry.member_id.strip("0")


def _without_repeated_id(entry: ReportedEntry) -> ReportedEntry:
    """Return the entry without a FIDE ID that repeats its member ID."""
    is_repeated = not _has_no_member_id(entry) and entry.fide_id == entry.member_id
    return replace(entry, fide_id="") if is_repeated else entry


def _is_name_of(player: Player, entry: ReportedEntry) -> bool:
    is_named = bool(words_of(entry.name))
    return is_named and name_match(entry.name, player).is_one_person


def _with_own_number(entry: ReportedEntry, format_: Format | None) -> ReportedEntry:
    """Return the entry with its number as the member ID.

    In a tournament file, the only rating is not FIDE's either; where there may be two,
    programs repeat another rating as FIDE's. Table columns have names.
    """
    entry = replace(entry, member_id=entry.normalized_fide_id, fide_id="")
    if format_ is Format.TRF:
        entry = replace(entry, rating=entry.rating or entry.fide_rating)
    if format_ in (Format.TRF, Format.CHESS_RESULTS, Format.PGN):
        entry = replace(entry, fide_rating="")
    return entry


def _players(numbers: Collection[str]) -> list[Player]:
    """Return the members with a FIDE ID or a member ID among *numbers*."""
    ids = list(filter(MEMBER_ID.whole.fullmatch, numbers))
    return list(Player.objects.filter(Q(fide_id__in=numbers) | Q(member_id__in=ids)))


def _listed_by_fide(numbers: Collection[str]) -> set[str]:
    """Return which of the numbers are FIDE IDs on the list in force."""
    rows = FidePlayer.objects.filter(
        list__state=FideList.State.CURRENT, fide_id__in=map(int, numbers)
    )
    return set(map(str, rows.values_list("fide_id", flat=True)))
