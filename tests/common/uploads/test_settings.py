"""Settings for the storage and retention of uploads."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages

from ratings_site import settings as site
from ratings_site.common.uploads.storage import DatabaseStorage


def test_uploaded_files_are_in_the_database_by_default():
    assert isinstance(storages["uploads"], DatabaseStorage)


@pytest.mark.parametrize(
    ("environment", "endpoint", "region"),
    [
        ({}, None, None),
        (
            {
                "UPLOADS_S3_ENDPOINT": "https://s3.example.org",
                "UPLOADS_S3_REGION": "us-east-1",
            },
            "https://s3.example.org",
            "us-east-1",
        ),
    ],
    ids=["Amazon", "another"],
)
def test_a_bucket_takes_uploaded_files(monkeypatch, environment, endpoint, region):
    monkeypatch.setattr(site, "UPLOADS_S3_BUCKET", "office")
    monkeypatch.setattr(site, "find_spec", lambda name: name in ("storages", "boto3"))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert site._upload_storage() == {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": "office",
            "endpoint_url": endpoint,
            "region_name": region,
            "default_acl": None,
            "file_overwrite": False,
        },
    }


def test_a_bucket_needs_its_packages(monkeypatch):
    monkeypatch.setattr(site, "UPLOADS_S3_BUCKET", "office")
    monkeypatch.setattr(site, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match="make s3"):
        site._upload_storage()


def test_retention_is_set_by_kind(monkeypatch):
    monkeypatch.setenv("UPLOAD_RETENTION_DAYS", "members=90, reports=3650,fide=never")
    changed = {"members": 90, "reports": 3650, "fide": None}
    assert site._upload_retention() == site.UPLOAD_RETENTION_DEFAULTS | changed


@pytest.mark.parametrize(
    "written", ["members=-1", "members=soon", "members=", "letters=90", "members=1.5"]
)
def test_a_retention_that_means_nothing_is_refused(monkeypatch, written):
    monkeypatch.setenv("UPLOAD_RETENTION_DAYS", written)
    with pytest.raises(ImproperlyConfigured, match="must look like members=90"):
        site._upload_retention()


def test_the_setting_of_earlier_versions_counts_for_files_of_members(monkeypatch):
    monkeypatch.setenv("INTAKE_KEEP_DAYS", "30")
    monkeypatch.setenv("UPLOAD_RETENTION_DAYS", "directors=60")
    kept = site._upload_retention()
    assert (kept["members"], kept["directors"], kept["fide"]) == (30, 60, 365)
