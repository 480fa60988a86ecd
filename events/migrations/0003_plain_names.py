"""Rename columns and stored values to American English.

History is unchanged: the audit log keeps its entries, and old versions of foreign
results keep the key of a game's color, which their reader accepts.
"""

import hashlib
import json

from django.db import migrations, models
from django.db.models import F, Q, Value
from django.db.models.functions import Replace

FINDINGS = {
    "affiliate.td_not_authorised": "affiliate.td_not_authorized",
    "member.spelt_otherwise": "member.spelled_otherwise",
    "section.colours_missing": "section.colors_missing",
    "section.colours_unusual": "section.colors_unusual",
}


def respell(apps, schema_editor):
    registrations = apps.get_model("events", "EventRegistration")
    registrations.objects.filter(status="cancelled").update(status="canceled")
    overrides = apps.get_model("events", "FindingOverride")
    for before, after in FINDINGS.items():
        overrides.objects.filter(finding_key__startswith=before).update(
            finding_key=Replace(F("finding_key"), Value(before), Value(after))
        )
    _respell_corrections(apps.get_model("events", "CorrectionRequest"))


def _respell_corrections(requests):
    """Rename the color in the cells of each change, and update its digest."""
    for request in requests.objects.filter(kind="result").iterator():
        cells = [
            {"color" if name == "colour" else name: cell[name] for name in cell}
            for cell in request.change["cells"]
        ]
        request.change = {**request.change, "cells": cells}
        text = json.dumps([request.kind, request.change], sort_keys=True)
        request.change_digest = hashlib.sha256(text.encode()).hexdigest()
        request.save(update_fields=["change", "change_digest"])


class Migration(migrations.Migration):
    dependencies = [("events", "0002_history")]
    operations = [
        migrations.RemoveConstraint("Game", "game_colour_is_known"),
        migrations.RenameField("Game", "first_colour", "first_color"),
        migrations.AddConstraint(
            "Game",
            models.CheckConstraint(
                condition=Q(first_color__in=["W", "B", ""]), name="game_color_is_known"
            ),
        ),
        migrations.RemoveConstraint("ForeignGame", "foreign_game_colour_is_known"),
        migrations.RenameField("ForeignGame", "colour", "color"),
        migrations.AddConstraint(
            "ForeignGame",
            models.CheckConstraint(
                condition=Q(color__in=["W", "B", ""]),
                name="foreign_game_color_is_known",
            ),
        ),
        migrations.RenameField("Submission", "report", "content"),
        migrations.RemoveConstraint("EventRegistration", "registration_status_is_known"),
        migrations.RemoveConstraint("EventRegistration", "cancelled_event_says_why"),
        migrations.RemoveConstraint(
            "EventRegistration", "cancelled_event_has_no_report"
        ),
        migrations.AlterField(
            "EventRegistration",
            "status",
            models.CharField(
                choices=[("planned", "Planned"), ("canceled", "Canceled")],
                default="planned",
                max_length=10,
            ),
        ),
        migrations.RunPython(respell, migrations.RunPython.noop),
        migrations.AddConstraint(
            "EventRegistration",
            models.CheckConstraint(
                condition=Q(status__in=["planned", "canceled"]),
                name="registration_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            "EventRegistration",
            models.CheckConstraint(
                condition=~Q(status="canceled") | ~Q(notice=""),
                name="canceled_event_says_why",
            ),
        ),
        migrations.AddConstraint(
            "EventRegistration",
            models.CheckConstraint(
                condition=~Q(status="canceled") | Q(submission__isnull=True),
                name="canceled_event_has_no_report",
            ),
        ),
    ]
