"""The limit of two concurrent uploads of an account."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event as Signal
from threading import Thread

import pytest
from django.db import connection

from events.formats.json.writer import report_document
from events.models import Submission
from events.reports.services.file_reader import MAX_CONCURRENT_UPLOADS, upload_slot
from ratings_site.common.models import User
from tests.events.reports.test_report_pages import UPLOAD, as_files, text_of
from tests.factories import (
    event_report,
    make_player,
    make_td,
    section_report,
    swiss_rows,
)
from tests.ratings.api.test_reports import send

pytestmark = pytest.mark.django_db


@contextmanager
def concurrent_uploads(user: User, uploads: int) -> Iterator[None]:
    """Hold so many of an account's upload slots."""
    is_over, began = Signal(), [Signal() for _ in range(uploads)]

    def read(has_begun: Signal) -> None:
        with upload_slot(user):
            has_begun.set()
            is_over.wait(timeout=30)
        connection.close()

    threads = [Thread(target=read, args=[signal]) for signal in began]
    for thread, signal in zip(threads, began, strict=True):
        thread.start()
        assert signal.wait(timeout=30)
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@pytest.fixture
def td() -> User:
    return make_td()


@pytest.fixture
def report(td):
    players = [make_player() for _ in range(4)]
    return event_report(td, [section_report(players, swiss_rows(4, 3))])


def test_third_upload_at_once_is_asked_to_wait_and_kept_afterwards(client, td, report):
    client.force_login(td)
    with concurrent_uploads(td, MAX_CONCURRENT_UPLOADS):
        refused = client.post(UPLOAD, {"files": as_files(report)})
    assert refused.status_code == 429
    assert "Your other reports are still being read." in text_of(refused)
    assert not Submission.objects.exists()
    assert client.post(UPLOAD, {"files": as_files(report)}).status_code == 302


def test_second_upload_and_those_of_others_are_read(client, td, report):
    client.force_login(td)
    with (
        concurrent_uploads(td, MAX_CONCURRENT_UPLOADS - 1),
        concurrent_uploads(make_td(), MAX_CONCURRENT_UPLOADS),
    ):
        assert client.post(UPLOAD, {"files": as_files(report)}).status_code == 302


@pytest.mark.parametrize("path", ["", "/check"])
def test_programs_are_told_to_come_again(td, report, path):
    with concurrent_uploads(td, MAX_CONCURRENT_UPLOADS):
        answer = send(td, report_document(report), path)
    assert (answer.status_code, answer["Retry-After"]) == (429, "5")
    assert answer.json()["title"] == "Other reports of yours are still being read."
    assert not Submission.objects.exists()
