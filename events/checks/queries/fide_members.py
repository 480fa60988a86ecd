"""Members found by their FIDE IDs, where a report names no member IDs."""

from dataclasses import replace

from events.importers.findings import Finding, Place, found
from events.importers.records import ReportedEntry, ReportedEvent, ReportedSection
from players.models import Player


def with_members_by_fide_id(
    reported: ReportedEvent,
) -> tuple[ReportedEvent, list[Finding]]:
    """Return the report with the member IDs that the office has for its FIDE IDs.

    Only entries without a member ID are filled in. FIDE's report file has a FIDE ID for
    everybody, and before 2026 no place for a member ID. One query.
    """
    asked = {
        entry.plain_fide_id
        for section in reported.sections
        for entry in section.entries
        if _is_nameless(entry)
    }
    if not asked:
        return reported, []
    known = dict(
        Player.objects.filter(fide_id__in=asked).values_list("fide_id", "member_id")
    )
    sections, findings = [], []
    for section in reported.sections:
        filled = _filled(section, known)
        count = sum(
            ours != theirs for ours, theirs in zip(filled, section.entries, strict=True)
        )
        if count:
            findings.append(_told(section, count))
        sections.append(replace(section, entries=filled))
    return replace(reported, sections=tuple(sections)), findings


def _is_nameless(entry: ReportedEntry) -> bool:
    return bool(entry.plain_fide_id) and not entry.member_id.strip("0")


def _filled(
    section: ReportedSection, known: dict[str, str]
) -> tuple[ReportedEntry, ...]:
    return tuple(
        replace(entry, member_id=known[entry.plain_fide_id])
        if _is_nameless(entry) and entry.plain_fide_id in known
        else entry
        for entry in section.entries
    )


def _told(section: ReportedSection, count: int) -> Finding:
    return found(
        "member.by_fide_id/one" if count == 1 else "member.by_fide_id",
        Place(section=section.number, field="entries"),
        count=count,
    )
