"""Files of members for tests, imported through the services and jobs."""

import csv
from collections.abc import Iterable

from players.formats.xlsx_writer import write_xlsx
from players.imports.services.actions import apply_intake, receive_file, undo_intake
from players.models import Intake, Player
from ratings_site.common.jobs.services import run_due_jobs

HEADINGS = (
    "Member ID,Given name,Family name,Birth date,State,Membership,Starts,Expires,"
    "FIDE ID,Status,Guardian e-mail"
)
ADA = "20000001,Ada,Adams,2011-02-13,TX,Youth,2026-01-01,2026-12-31,,,mum@example.org"
BEN = "20000002,Ben,Baker,1980-05-06,NY,Regular,2025-06-01,2027-05-31,2000016,,"


def as_csv(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def as_xlsx(lines: Iterable[str]) -> bytes:
    """Return the same table as a spreadsheet."""
    return write_xlsx(list(csv.reader(lines)))


def received(
    *rows: str, headings: str = HEADINGS, kind: str = "members", write=as_csv
) -> Intake:
    ending = write.__name__.removeprefix("as_")
    intake = receive_file(
        actor=None,
        kind=kind,
        name=f"members.{ending}",
        content=[write([headings, *rows])],
    )
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def entered(*rows: str, **kwargs: str) -> Intake:
    intake = received(*rows, **kwargs)
    apply_intake(intake_id=intake.pk, actor=None, reason="Moving in.")
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def undone(intake: Intake) -> Intake:
    undo_intake(intake_id=intake.pk, actor=None, reason="The wrong file.")
    run_due_jobs()
    intake.refresh_from_db()
    return intake


def counts(intake: Intake) -> dict[str, int]:
    return {
        name: count
        for name in ("new", "changed", "unchanged", "refused", "suspected")
        if (count := getattr(intake, name))
    }


def all_players() -> list[tuple]:
    """Return all members' data that files write."""
    rows = Player.objects.order_by("member_id").values_list(
        "member_id", "given_name", "family_name", "suffix", "birth_date", "gender",
        "state", "residence", "federation", "fide_id", "status", "search_name",
        "search_given", "search_sound", "search_family", "guardian__email",
        "contact__email", "memberships__type__name", "memberships__starts",
        "memberships__expires",
    )  # fmt: skip
    return list(rows)
