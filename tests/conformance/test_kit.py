"""The conformance kit: its files are current, and this office says what it expects."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from docs.conformance.run import differences
from ratings_site.common.api_keys.services import create_key
from tests.conformance.office import open_kit_office
from tests.tools.conformance_kit import FOLDER, cases, kit

CASES = cases()


def test_files_are_what_the_description_gives():
    kept = {
        path.relative_to(FOLDER).as_posix(): path.read_bytes()
        for path in (*FOLDER.glob("*/**/*.*"), FOLDER / "expected.json")
        if path.suffix != ".pyc"
    }
    assert kept == kit()
    assert len(CASES) == 40


@pytest.fixture(scope="module")
def key(module_data) -> str:
    return create_key(owner=open_kit_office(), name="kit", may_submit=True)[1]


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES, ids=lambda one: one.name)
def test_office_says_what_the_kit_expects(case, key):
    parts = [SimpleUploadedFile(name, data) for name, data in case.files.items()]
    sent = Client().post(
        "/api/v1/reports?dry_run=true",
        {"files": parts},
        headers={"Authorization": f"Bearer {key}"},
    )
    assert differences(case.document(), sent.status_code, sent.json()) == []
