"""Open files of official lists: the facts they add, and their fixed addresses."""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from events.access import td_field
from players.models import Player
from ratings.decisions.floors.queries.titles import highest_titles, owners_of
from ratings.ledger.queries.published_ratings import list_in_force
from ratings.lists.files import OpenFacts
from ratings.lists.queries.official import latest_list
from ratings.models import OfficialList, OfficialListFile
from ratings_site.common.web.files import groups

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class HasGzip(TypedDict):
    has_gzip: bool


FileToSend: TypeAlias = "WithAnnotations[OfficialListFile, HasGzip]"

MEMBERS_AT_A_TIME = 2_000
CURRENT, NEWEST = "current", "newest"
CHECKSUMS = "SHA256SUMS"


def open_facts(official_list: OfficialList, *, day: date) -> dict[str, OpenFacts]:
    """Return the facts of a list's members on *day* by member ID.

    A TD whose certification has ended has no level.
    """
    listed = official_list.ratings.order_by().values_list("player", flat=True)
    found: dict[str, OpenFacts] = {}
    for players in groups(sorted(set(listed)), MEMBERS_AT_A_TIME):
        found |= _facts_of(players, day)
    return found


def _facts_of(players: Sequence[int], day: date) -> dict[str, OpenFacts]:
    titles = highest_titles(owners_of(players))
    rows = Player.objects.filter(pk__in_array=players).values_list(
        *("pk", "member_id", "fide_id", "is_private"),
        *(td_field("level"), td_field("certified_until")),
    )
    return {
        member_id: OpenFacts(
            "" if is_private else fide_id or "",
            titles[pk].name if pk in titles else "",
            level if level and until >= day else "",
        )
        for pk, member_id, fide_id, is_private, level, until in rows
    }


def list_to_open() -> OfficialList | None:
    """Return the newest list, or else the one in force, without open files."""
    for found in (latest_list(), list_in_force(timezone.localdate())):
        if found and not open_files(found).exists():
            return found
    return None


def list_at(address: str | date, *, today: date) -> OfficialList | None:
    """Return the list at a fixed address: in force, newest, or of a month."""
    if address == CURRENT:
        return list_in_force(today)
    if address == NEWEST:
        return latest_list()
    return OfficialList.objects.filter(month=address).first()


def stored_files() -> QuerySet[OfficialListFile]:
    """Return files without their contents."""
    return OfficialListFile.objects.defer("content", "compressed")


def open_files(official_list: OfficialList) -> QuerySet[OfficialListFile]:
    return stored_files().filter(list=official_list, made_at__isnull=False)


def file_to_send(files: QuerySet[OfficialListFile]) -> "FileToSend | None":
    """Return the file; ``has_gzip`` says whether it has a compressed copy."""
    has_gzip = Q(compressed__isnull=False)
    return files.select_related("list").annotate(has_gzip=has_gzip).first()


def months_with_open_files() -> QuerySet[OfficialList]:
    """Return the lists at the fixed addresses of their months, newest first."""
    made = OfficialListFile.objects.filter(list=OuterRef("pk"), made_at__isnull=False)
    return OfficialList.objects.effective().filter(Exists(made))
