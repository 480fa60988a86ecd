"""Make the open files of a published list."""

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils import timezone

from players.models import Player
from players.models.player import PRIVATE_NAME
from ratings.lists.files import (
    delimited,
    open_dbf,
    open_json,
    open_rows,
    open_xlsx,
    read_csv_file,
    supplement_dbf,
    wintd_tsv,
)
from ratings.lists.queries.open_lists import open_facts
from ratings.models import OfficialList, OfficialListFile
from ratings.models.official import ListFileKind as Kind
from ratings_site.common.db.bulk import gc_paused, insert_with_bytes, read_bytes

COMPRESSION = 6


@gc_paused()
def open_file_rows(official_list: OfficialList) -> list[dict[str, Any]]:
    """Return the columns of a list's open files; nothing is written.

    Ratings, names and membership ends are those of the published CSV file, FIDE IDs,
    norm titles, TD levels and who is private those of today.
    """
    made_at = timezone.now()
    return [
        _row(official_list, kind, content) | {"made_at": made_at}
        for kind, content in _contents(official_list)
    ]


def store_open_files(official_list: OfficialList, rows: list[dict[str, Any]]) -> None:
    """Store the files, in the caller's transaction, unless the list has them."""
    if official_list.files.filter(made_at__isnull=False).exists():
        return
    for row in rows:
        insert_with_bytes(OfficialListFile, list_id=official_list.pk, **row)


def _contents(official_list: OfficialList) -> Iterator[tuple[Kind, bytes]]:
    published = official_list.files.defer("content", "compressed").get(kind=Kind.CSV)
    members = list(read_csv_file(read_bytes(published, "content")))
    day, month = timezone.localdate(), official_list.month
    facts = open_facts(official_list, day=day)
    private = set(
        Player.objects.filter(is_private=True).values_list("member_id", flat=True)
    )
    # A member may have become private since the list was published.
    members = [
        replace(one, name=PRIVATE_NAME) if one.member_id in private else one
        for one in members
    ]
    about = {
        "list": official_list.slug,
        "correction": official_list.correction,
        "in_force_from": official_list.starts.isoformat(),
        "facts_day": day.isoformat(),
    }
    yield Kind.OPEN_CSV, delimited(open_rows(members, facts), ",")
    yield Kind.OPEN_TSV, delimited(open_rows(members, facts), "\t")
    yield Kind.OPEN_DBF, open_dbf(members, facts, month=month)
    yield Kind.OPEN_XLSX, open_xlsx(members, facts)
    yield Kind.OPEN_JSON, open_json(members, facts, about)
    yield Kind.SUPPLEMENT, supplement_dbf(members, month=month)
    yield Kind.WINTD, wintd_tsv(members)


def _row(official_list: OfficialList, kind: Kind, content: bytes) -> dict[str, Any]:
    stem, _, extension = kind.partition(".")
    # A workbook is compressed already. Of the others only the compressed copy is kept.
    stored = (
        {"content": content}
        if kind == Kind.OPEN_XLSX
        else {"compressed": gzip.compress(content, COMPRESSION, mtime=0)}
    )
    return {
        "kind": kind.value,
        "name": f"{stem}-{official_list.key}.{extension}",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        **stored,
    }
