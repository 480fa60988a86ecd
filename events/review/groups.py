"""The office's groups and their permissions.

Most clerks are only in "Ratings office". A second group adds permission for further
decisions and nothing else. Members of the ratings committee need not be clerks: their
group gives access to the laboratory's experiments.
"""

from django.apps import apps as project_apps
from django.apps.registry import Apps

OFFICE = "Ratings office"
MANAGER = "Ratings manager"
DIRECTOR = "Executive Director"
COMMITTEE = "Ratings committee"

# History (ledger, calculations, audit, submissions) is read-only.
CHANGE_PERMISSIONS = {
    "players": [
        *("player", "contact", "guardian", "guardianaccount"),
        *("membership", "membershiptype", "externalrating"),
    ],
    "events": ["affiliate", "official"],
    "allauth_idp_oidc": ["client"],
}
VIEW_PERMISSIONS = {
    "common": ["auditentry", "job", "pendingact", "programaccess"],
    "players": [
        *("claim", "invitation", "forgetrequest", "playermerge", "notsameperson"),
        "privacyrequest",
        *("fidelist", "fiderating", "fidelinkrefusal", "fideoptin", "intake"),
    ],
    "events": [
        *("event", "section", "entry", "game", "unplayedround", "eventofficial"),
        *("submission", "submissionfile", "findingoverride", "officetask"),
        *("pendingmember", "sectionversion", "correctionrequest"),
        *("foreignevent", "foreignresult", "ratingfee", "feecharge"),
    ],
    "ratings": [
        *("calculation", "openingentry", "playerrating", "ratingchange"),
        *("floor", "floorlowering", "floorrequest", "ceiling", "adjustment"),
        *("officiallist", "publishedrating", "reratemark", "run"),
        "lifemastersetaside",
    ],
}
# Actions of services, each with its own permission. Permissions that no model
# declares are ignored.
ACTION_PERMISSIONS = {
    OFFICE: [
        "common.retry_job",
        *("events.decide_correction", "events.rate_foreign"),
        "events.review_submission",
        *("players.change_privacy", "players.change_status", "players.decide_claim"),
        "players.enter_opt_in",
        *("players.import_fide_list", "players.link_fide_id"),
        *("players.merge_players", "players.take_in"),
        *("ratings.grant_floor", "ratings.lower_floor", "ratings.start_rerate"),
    ],
    MANAGER: [
        *("common.invite_staff", "common.reset_factors"),
        "players.forget_member",
        *("ratings.adjust_rating", "ratings.grant_floor"),
        *("ratings.publish_experiment", "ratings.run_experiment"),
        *("ratings.publish_list", "ratings.publish_rerate", "ratings.undo_rerate"),
    ],
    DIRECTOR: [
        *("common.export_office", "common.invite_staff"),
        "players.approve_opt_out",
        "ratings.adjust_rating",
        "ratings.impose_ceiling",
    ],
    COMMITTEE: ["ratings.publish_experiment", "ratings.run_experiment"],
}


def permissions_of(group: str) -> set[str]:
    """Return the permissions of a group as "app.codename"."""
    names = set(ACTION_PERMISSIONS[group])
    if group == MANAGER:
        names |= {"events.add_ratingfee", "events.change_ratingfee"}
    if group == OFFICE:
        for app, models in CHANGE_PERMISSIONS.items():
            for model in models:
                names |= {f"{app}.{verb}_{model}" for verb in ("view", "add", "change")}
        for app, models in VIEW_PERMISSIONS.items():
            names |= {f"{app}.view_{model}" for model in models}
    return names


def sync_groups(
    sender: object, using: str, apps: Apps = project_apps, **_: object
) -> None:
    """Add new permissions to every group; runs after every migration.

    Permissions that were given before are remembered, so that a federation's changes
    stay: only new ones are added and dropped ones removed.
    """
    try:
        remembered = apps.get_model("common", "GivenPermission").objects.using(using)
    except LookupError:  # a database being migrated to an early state
        return
    permissions = {
        f"{permission.content_type.app_label}.{permission.codename}": permission.pk
        for permission in project_apps.get_model("auth", "Permission")
        .objects.using(using)
        .select_related("content_type")
    }
    groups = project_apps.get_model("auth", "Group").objects.using(using)
    for name in ACTION_PERMISSIONS:
        group, _created = groups.get_or_create(name=name)
        wanted = {permissions[one] for one in permissions_of(name) & permissions.keys()}
        given = remembered.filter(group_id=group.pk)
        before = set(given.values_list("permission_id", flat=True))
        group.permissions.add(*wanted - before)
        group.permissions.remove(*before - wanted)
        given.filter(permission_id__in=before - wanted).delete()
        given.bulk_create(
            given.model(group_id=group.pk, permission_id=permission)
            for permission in sorted(wanted - before)
        )
