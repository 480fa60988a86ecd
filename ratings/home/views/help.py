"""Help: task pages by reader, and how to reach the office."""

from email.utils import parseaddr
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
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
        gettext_lazy("Members"),
        (
            Topic("find-a-rating", gettext_lazy("Find a rating"), "ratings:search"),
            Topic(
                "why-a-rating-changed",
                gettext_lazy("Find out why a rating changed"),
                "ratings:search",
            ),
            Topic(
                "link-your-account",
                gettext_lazy("Link your account to your membership"),
                "players:claims",
            ),
            Topic(
                "ask-for-a-correction",
                gettext_lazy("Request a correction"),
                "events:my_corrections",
            ),
            Topic(
                "estimate-a-rating",
                gettext_lazy("Estimate your next rating"),
                "ratings:estimate",
            ),
            Topic(
                "your-data",
                gettext_lazy("Download or delete your data"),
                "ratings:my_data",
            ),
        ),
    ),
    (
        gettext_lazy("Parents"),
        (
            Topic(
                "follow-your-child",
                gettext_lazy("Follow your child’s rating"),
                "players:guardian",
            ),
            Topic(
                "understand-a-rating",
                gettext_lazy("Understand what a rating means"),
                "ratings:how_ratings_work",
            ),
            Topic(
                "glossary",
                gettext_lazy("Glossary of rating terms"),
                "ratings:how_ratings_work",
                has_picture=False,
            ),
        ),
    ),
    (
        gettext_lazy("TDs"),
        (
            Topic(
                "send-a-report", gettext_lazy("Send a rating report"), "events:upload"
            ),
            Topic(
                "fix-a-report", gettext_lazy("Fix errors in a report"), "events:desk"
            ),
            Topic(
                "enter-results",
                gettext_lazy("Enter results manually"),
                "events:type_in",
            ),
            Topic(
                "register-an-event",
                gettext_lazy("Register an event"),
                "events:register",
            ),
            Topic("become-a-td", gettext_lazy("Get certified as a TD"), "account"),
        ),
    ),
    (
        gettext_lazy("Clerks"),
        (
            Topic(
                "review-reports",
                gettext_lazy("Review and accept reports"),
                "events:queue",
            ),
            Topic(
                "decide-corrections",
                gettext_lazy("Decide corrections"),
                "events:corrections",
            ),
            Topic(
                "merge-duplicates",
                gettext_lazy("Merge duplicate members"),
                "players_office:duplicates",
            ),
            Topic(
                "import-members",
                gettext_lazy("Import members"),
                "players_office:intakes",
            ),
            Topic(
                "update-fide-ratings",
                gettext_lazy("Update FIDE ratings"),
                "players_office:fide_lists",
            ),
        ),
    ),
    (
        gettext_lazy("Committee"),
        (
            Topic(
                "publish-a-list",
                gettext_lazy("Publish an official rating list"),
                "ratings:office_lists",
            ),
            Topic(
                "rerate",
                gettext_lazy("Run and publish a rerate"),
                "ratings:office_rerates",
            ),
            Topic(
                "run-an-experiment",
                gettext_lazy("Test other rules on real history"),
                "ratings:experiments",
            ),
            Topic(
                "compare-rating-systems",
                gettext_lazy("Compare rating systems"),
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
        raise Http404(_("There is no help page with this name."))
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
