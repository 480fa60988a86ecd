"""The office's group and what its members may do: enough for the daily work."""

from django.apps import apps as project_apps

OFFICE = "Ratings office"

# History (ledger, calculations, audit, submissions) can only be looked at.
MAY_CHANGE = {
    "players": ["player", "membership", "membershiptype", "externalrating"],
    "events": ["affiliate", "official"],
    "ratings": ["floor", "ceiling"],
}
MAY_VIEW = {
    "common": ["auditentry", "job"],
    "events": [
        "event",
        "section",
        "entry",
        "game",
        "unplayedround",
        "eventofficial",
        "submission",
        "submissionfile",
        "findingoverride",
        "officetask",
    ],
    "ratings": [
        "calculation",
        "openingentry",
        "playerrating",
        "publishedrating",
        "ratingchange",
        "run",
    ],
}


def fill_office_group(sender: object, using: str, **_: object) -> None:
    """Give the office group its permissions; runs after every migration."""
    group_model = project_apps.get_model("auth", "Group")
    permission_model = project_apps.get_model("auth", "Permission")
    group, _created = group_model.objects.using(using).get_or_create(name=OFFICE)
    wanted = {("events", "review_submission")}
    for app, names in MAY_CHANGE.items():
        for name in names:
            wanted |= {(app, f"{verb}_{name}") for verb in ("view", "add", "change")}
    for app, names in MAY_VIEW.items():
        wanted |= {(app, f"view_{name}") for name in names}
    permissions = permission_model.objects.using(using).select_related("content_type")
    group.permissions.set(
        permission
        for permission in permissions
        if (permission.content_type.app_label, permission.codename) in wanted
    )
