"""The embedded worker restarts after failures."""

import pytest

from ratings_site.common.jobs import embedded


class Stop(BaseException):
    """Ends the endless loop of the thread under test."""


def test_worker_that_fails_or_ends_is_started_again(monkeypatch, caplog):
    starts = []

    def work(app) -> None:
        starts.append(app)
        if len(starts) == 1:
            raise ConnectionError("the broker is gone")
        if len(starts) == 3:
            raise Stop

    monkeypatch.setattr(embedded, "_work", work)
    monkeypatch.setattr(embedded.time, "sleep", lambda seconds: None)
    with pytest.raises(Stop):
        embedded._run_worker("app")
    assert starts == ["app"] * 3
    assert [record.message for record in caplog.records] == [
        "The embedded worker failed and is started again",
        "The embedded worker stopped and is started again",
    ]
