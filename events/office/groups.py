"""The office's groups and what their members may do.

Most people belong to "Ratings office" alone. Who decides more belongs to a second group
besides, which gives the further acts and nothing else. Members of the ratings committee
need not be of the office: their group opens the laboratory's experiments to them.
"""

from django.apps import apps as project_apps
from django.apps.registry import Apps

OFFICE = "Ratings office"
MANAGER = "Ratings manager"
DIRECTOR = "Executive Director"
COMMITTEE = "Ratings committee"

# History (ledger, calculations, audit, submissions) can only be looked at.
MAY_CHANGE = {
    "players": [
        "player",
        "contact",
        "guardian",
        "guardianaccount",
        "membership",
        "membershiptype",
        "externalrating",
    ],
    "events": ["affiliate", "official"],
}
MAY_VIEW = {
    "common": ["auditentry", "job", "pendingact"],
    "players": [
        "claim",
        "invitation",
        "forgetrequest",
        "playermerge",
        "notsameperson",
        "fidelist",
        "fiderating",
        "fidelinkrefusal",
        "fideoptin",
        "intake",
    ],
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
        "pendingmember",
        "sectionversion",
        "correctionrequest",
        "foreignevent",
        "foreignresult",
    ],
    "ratings": [
        "adjustment",
        "calculation",
        "ceiling",
        "floor",
        "floorlowering",
        "floorrequest",
        "lifemastersetaside",
        "officiallist",
        "openingentry",
        "playerrating",
        "publishedrating",
        "ratingchange",
        "reratemark",
        "run",
    ],
}
# Acts of the services, each with a permission of its own. One that is named here and
# that no model declares is passed over.
MAY_DO = {
    OFFICE: [
        "common.retry_job",
        "events.decide_correction",
        "events.rate_foreign",
        "events.review_submission",
        "players.change_status",
        "players.decide_claim",
        "players.enter_opt_in",
        "players.import_fide_list",
        "players.link_fide_id",
        "players.merge_players",
        "players.take_in",
        "ratings.grant_floor",
        "ratings.lower_floor",
        "ratings.start_rerate",
    ],
    MANAGER: [
        "common.invite_staff",
        "common.reset_factors",
        "players.forget_member",
        "ratings.adjust_rating",
        "ratings.grant_floor",
        "ratings.publish_experiment",
        "ratings.publish_list",
        "ratings.publish_rerate",
        "ratings.run_experiment",
        "ratings.undo_rerate",
    ],
    DIRECTOR: [
        "common.invite_staff",
        "players.approve_opt_out",
        "ratings.adjust_rating",
        "ratings.impose_ceiling",
    ],
    COMMITTEE: [
        "ratings.publish_experiment",
        "ratings.run_experiment",
    ],
}


def permissions_of(group: str) -> set[str]:
    """Return the permissions of a group, as "app.codename"."""
    names = set(MAY_DO[group])
    if group == OFFICE:
        for app, models in MAY_CHANGE.items():
            for model in models:
                names |= {f"{app}.{verb}_{model}" for verb in ("view", "add", "change")}
        for app, models in MAY_VIEW.items():
            names |= {f"{app}.view_{model}" for model in models}
    return names


def fill_groups(
    sender: object, using: str, apps: Apps = project_apps, **_: object
) -> None:
    """Give every group what is new for it; runs after every migration.

    What was given before is remembered, so that a federation's own changes stay: only
    what we ask for newly is added, and what we no longer ask for is taken away.
    """
    try:
        remembered = apps.get_model("common", "GivenPermission").objects.using(using)
    except LookupError:  # a database on its way to the state of long ago
        return
    permissions = {
        f"{permission.content_type.app_label}.{permission.codename}": permission.pk
        for permission in project_apps.get_model("auth", "Permission")
        .objects.using(using)
        .select_related("content_type")
    }
    groups = project_apps.get_model("auth", "Group").objects.using(using)
    for name in MAY_DO:
        group, _created = groups.get_or_create(name=name)
        wanted = {permissions.get(one) for one in permissions_of(name)} - {None}
        given = remembered.filter(group_id=group.pk)
        before = set(given.values_list("permission_id", flat=True))
        group.permissions.add(*wanted - before)
        group.permissions.remove(*before - wanted)
        given.filter(permission_id__in=before - wanted).delete()
        given.bulk_create(
            given.model(group_id=group.pk, permission_id=permission)
            for permission in sorted(wanted - before)
        )
