"""The data archive of a person: the same tables as HTML and as JSON."""

import io
import json
import zipfile

from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string
from django.utils import timezone

from ratings.pages.my_data.queries import Table, stored_data
from ratings_site.common.models import User


def archive(user: User) -> bytes:
    """Return a ZIP file with a page to read and the same as JSON."""
    tables = stored_data(user)
    written = timezone.now()
    page = render_to_string(
        "ratings/pages/my_data/archive.html", {"tables": tables, "written": written}
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("my-data.html", page)
        file.writestr("my-data.json", _json(tables, written))
    return buffer.getvalue()


def _json(tables: list[Table], written: object) -> str:
    data = {"written": written, **{table.name: table.rows for table in tables}}
    return json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
