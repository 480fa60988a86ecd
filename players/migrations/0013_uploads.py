import logging

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.db import migrations, models, transaction

from ratings_site.common.uploads.storage_migration import move_upload, storage_in

logger = logging.getLogger(__name__)


def data_dir():
    return FileSystemStorage(
        settings.DATA_DIR,
        file_permissions_mode=0o600,
        directory_permissions_mode=0o700,
    )


def move_files(apps, editor):
    """Move the files below DATA_DIR; of a batch of the feed its rows are enough."""
    folder, storage = data_dir(), storage_in(apps)
    intakes = apps.get_model("players", "Intake").objects.exclude(stored_as="")
    batches = intakes.filter(by_feed=True)
    for name in list(batches.values_list("stored_as", flat=True)):
        transaction.on_commit(lambda name=name: folder.delete(name))
    batches.update(stored_as="")
    lists = apps.get_model("players", "FideList").objects.exclude(stored_as="")
    for rows in (intakes, lists):
        for name in list(rows.values_list("stored_as", flat=True)):
            if not (move_upload(name, folder, storage) or storage.exists(name)):
                logger.warning(
                    "%s is not in DATA_DIR here: run manage.py move_uploads on the "
                    "machine that has it.",
                    name,
                )


def move_files_back(apps, editor):
    folder, storage = data_dir(), storage_in(apps)
    for model in ("Intake", "FideList"):
        rows = apps.get_model("players", model).objects.exclude(stored_as="")
        for name in list(rows.values_list("stored_as", flat=True)):
            move_upload(name, storage, folder)


NAME = models.CharField(
    blank=True,
    help_text="Name in the upload storage; blank without a file, or once deleted.",
    max_length=200,
)


class Migration(migrations.Migration):
    dependencies = [
        ("common", "0016_uploadpart"),
        ("players", "0012_members_by_birth_date"),
    ]

    operations = [
        migrations.AlterField("FideList", "stored_as", NAME),
        migrations.AlterField("Intake", "stored_as", NAME),
        migrations.RunPython(move_files, move_files_back),
    ]
