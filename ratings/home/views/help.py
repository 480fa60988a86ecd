"""Help: task pages by reader, and how to reach the office."""

from email.utils import parseaddr
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe


class Topic(NamedTuple):
    """A help page, ``templates/help/<slug>.html``, and the page that it explains.

    `make pictures` makes its screenshot, ``office/help/<slug>.png``.
    """

    slug: str
    title: str | Promise
    page: str
    has_picture: bool = True


GROUPS: tuple[tuple[str | Promise, tuple[Topic, ...]], ...] = (
    (
        _("Members"),
        (
            Topic("find-a-rating", _("Find a rating"), "ratings:search"),
            Topic(
                "why-a-rating-changed",
                _("Find out why a rating changed"),
                "ratings:search",
            ),
            Topic(
                "link-your-account",
                _("Link your account to your membership"),
                "players:claims",
            ),
            Topic(
                "ask-for-a-correction",
                _("Request a correction"),
                "events:my_corrections",
            ),
            Topic(
                "estimate-a-rating", _("Estimate your next rating"), "ratings:estimate"
            ),
            Topic("your-data", _("Download or delete your data"), "ratings:my_data"),
        ),
    ),
    (
        _("Parents"),
        (
            Topic(
                "follow-your-child", _("Follow your child’s rating"), "players:guardian"
            ),
            Topic(
                "understand-a-rating",
                _("Understand what a rating means"),
                "ratings:how_ratings_work",
            ),
            Topic(
                "glossary",
                _("Glossary of rating terms"),
                "ratings:how_ratings_work",
                has_picture=False,
            ),
        ),
    ),
    (
        _("TDs"),
        (
            Topic("send-a-report", _("Send a rating report"), "events:upload"),
            Topic("fix-a-report", _("Fix errors in a report"), "events:desk"),
            Topic("enter-results", _("Enter results manually"), "events:type_in"),
            Topic("register-an-event", _("Register an event"), "events:register"),
            Topic("become-a-td", _("Get certified as a TD"), "account"),
        ),
    ),
    (
        _("Clerks"),
        (
            Topic("review-reports", _("Review and accept reports"), "events:queue"),
            Topic("decide-corrections", _("Decide corrections"), "events:corrections"),
            Topic(
                "merge-duplicates",
                _("Merge duplicate members"),
                "players_office:duplicates",
            ),
            Topic("import-members", _("Import members"), "players_office:intakes"),
            Topic(
                "update-fide-ratings",
                _("Update FIDE ratings"),
                "players_office:fide_lists",
            ),
        ),
    ),
    (
        _("Committee"),
        (
            Topic(
                "publish-a-list",
                _("Publish an official rating list"),
                "ratings:office_lists",
            ),
            Topic("rerate", _("Run and publish a rerate"), "ratings:office_rerates"),
            Topic(
                "run-an-experiment",
                _("Test other rules on real history"),
                "ratings:experiments",
            ),
            Topic(
                "compare-rating-systems",
                _("Compare rating systems"),
                "ratings:standing",
            ),
        ),
    ),
)
TOPICS = {topic.slug: topic for _group, topics in GROUPS for topic in topics}


@require_safe
def help_index(request: HttpRequest) -> HttpResponse:
    context = {"groups": GROUPS, "contact": office_contact()}
    return render(request, "help/index.html", context)


@require_safe
def help_page(request: HttpRequest, slug: str) -> HttpResponse:
    topic = TOPICS.get(slug)
    if topic is None:
        raise Http404(gettext("There is no help page with this name."))
    context = {
        "topic": topic,
        "page_url": reverse(topic.page),
        "picture": f"office/help/{slug}.png" if topic.has_picture else "",
        "contact": office_contact(),
    }
    return render(request, f"help/{slug}.html", context)


def office_contact() -> list[str]:
    """Return the lines of the office's contact, or its email address."""
    if settings.OFFICE_CONTACT:
        return settings.OFFICE_CONTACT.splitlines()
    address = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    return [] if address.endswith("@localhost") else [address]
