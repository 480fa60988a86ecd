"""Run a roster check: quota and audit."""

import json
from collections.abc import Sequence
from datetime import date

from django.utils.translation import gettext as _

from events.access import show_names_to_td
from events.checks.messages import translated
from events.formats.rosters import RosterRow, read_roster, result_from_json
from events.formats.tables.grids import UnreadableTable
from events.formats.translatable_text import error_text
from players.formats.member_ids import MEMBER_ID
from players.formats.xlsx_reader import looks_like_zip
from ratings.pages.roster.queries import RosterLine, check_roster, sees_age_groups
from ratings_site.common.api_keys.services import Quota, charge_requests
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.sandbox import SandboxLimitExceeded, run_sandboxed
from ratings_site.common.models import User

MAX_ROWS = 1_000
SECONDS, MEGABYTES = 10, 400
# Small files that are not compressed are read without a sandbox.
_SMALL = 100_000


class QuotaExhausted(Refusal):
    """The account's daily quota does not suffice for these rows."""

    def __init__(self, quota: Quota) -> None:
        super().__init__(
            _(
                "Each row counts as one of {limit:,} requests a day, and too few are "
                "left. Check fewer players, or wait until midnight UTC."
            ).format(limit=quota.limit)
        )
        self.quota = quota


def check_members(
    *, rows: Sequence[RosterRow], day: date, actor: User, limit: int | None = None
) -> tuple[list[RosterLine], Quota]:
    """Check the rows for an account, and return the quota left. Nothing is stored.

    Raise QuotaExhausted if too few requests are left.
    """
    quota = charge_requests(actor, len(rows), limit=limit)
    if quota.is_exhausted:
        raise QuotaExhausted(quota)
    show_names_to_td(actor)
    lines = check_roster(rows, day, by_age_group=sees_age_groups(actor))
    facts = {"rows": len(rows), "problems": sum(line.has_problem for line in lines)}
    record("members.checked", subject=actor, actor=actor, facts=facts)
    return lines, quota


def read_rows(data: bytes) -> list[RosterRow]:
    """Return the rows of a file or a pasted text; raise Refusal with the reason."""
    try:
        if len(data) <= _SMALL and not looks_like_zip(data):
            return read_roster(data)
        said = run_sandboxed(
            "events.formats.rosters",
            data,
            MEMBER_ID.pattern,
            seconds=SECONDS,
            megabytes=MEGABYTES,
        )
        return result_from_json(said)
    except UnreadableTable as error:
        raise Refusal(translated(error_text(error))) from None
    except (SandboxLimitExceeded, json.JSONDecodeError):
        raise Refusal(
            _("The file is too large or too complex to read. Save it as CSV.")
        ) from None
