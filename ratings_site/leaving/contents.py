"""What a full export contains, and what it leaves out and why.

Every table of the database is in exactly one of these lists; a test says so.
"""

from django.utils.translation import gettext_lazy as _

EXPORTED = frozenset(
    """
    common.Office common.User common.User_groups common.User_user_permissions
    auth.Group auth.Group_permissions common.GivenPermission account.EmailAddress
    common.AuditEntry admin.LogEntry common.PendingAct common.Notice
    common.NoticeSetting
    players.Player players.MembershipType players.Membership players.Contact
    players.Guardian players.GuardianAccount players.GuardianConsent players.Follow
    players.Claim players.Invitation players.ForgetRequest players.PlayerMerge
    players.PrivacyRequest
    players.NotSamePerson players.FideOptIn players.FideList players.FidePlayer
    players.FideRating players.FideLinkRefusal players.ExternalRating players.Intake
    players.IntakeRow players.ImportWord
    events.Affiliate events.Official events.Official_affiliates
    events.EventRegistration events.RegisteredSection events.Submission
    events.SubmissionFile events.FindingOverride events.ReportMessage
    events.MessageMark events.PendingMember events.OfficeTask events.Event
    events.EventOfficial events.Section events.Schedule events.Schedule_entries
    events.Entry events.Game events.UnplayedRound events.SectionVersion
    events.PackedSection events.CorrectionRequest events.RatingFee events.FeeCharge
    events.ForeignEvent events.ForeignFile events.ForeignResult events.ForeignGame
    events.ForeignVersion events.ForeignWork
    ratings.Run ratings.RerateMark ratings.OpeningEntry ratings.Adjustment
    ratings.Calculation ratings.CalculationInputs ratings.RatingChange
    ratings.PlayerRating ratings.RunDifference ratings.PublishedRating ratings.Floor
    ratings.FloorRequest ratings.FloorLowering ratings.Ceiling
    ratings.LifeMasterSetAside ratings.EarnedTitle ratings.ListDraft
    ratings.OfficialList
    ratings.OfficialRating ratings.OfficialListFile ratings.CountedRatings
    ratings.GamesFile ratings.GamesHistory ratings.Experiment
    ratings.ExperimentVariant
    """.split()
)

EXCLUDED = {
    "contenttypes.ContentType": _("Created by the software. Rows refer to it by name."),
    "auth.Permission": _("Created by the software. Rows refer to it by name."),
    "sessions.Session": _("Secret. Everyone signs in again."),
    "account.EmailConfirmation": _("Secret. A new code is sent on request."),
    "mfa.Authenticator": _("Secret. Everyone sets up two-step verification again."),
    "common.ApiKey": _("Secret. Owners create new keys."),
    "common.ApiKeyUse": _("About API keys, which are left out."),
    "common.ProgramAccess": _("Secret. Programs and sites ask for access again."),
    "common.SigningKey": _("Secret. A new key is made when it is needed."),
    "allauth_idp_oidc.Client": _("Secret. Programs and sites are registered again."),
    "allauth_idp_oidc.Token": _("Secret. Programs and sites ask for access again."),
    "ratings.SigningKey": _(
        "Secret. Keep the file at /verify/keys.json, which verifies earlier statements."
    ),
    "common.ApiUse": _("Counts today’s requests, for limits."),
    "common.Webhook": _("Secret. Owners add their webhooks again."),
    "common.WebhookDelivery": _("Messages to webhooks, which are left out."),
    "common.Job": _("Work in progress. It holds encrypted emails."),
    "common.SignOfLife": _("Work in progress."),
    "common.UploadPart": _("Uploaded files are in the folder “files” instead."),
    "players.ShareLink": _("Secret. Players share their ratings again."),
    "ratings.OpenFile": _("Created again every night."),
    "ratings.OpenFilePart": _("Created again every night."),
}

EXCLUDED_COLUMNS = {
    "common.User.password": _("Secret. Everyone sets a new password by email."),
    "players.Claim.salt": _("Secret. A new code is sent on request."),
}

# Tables without a model.
OTHER_TABLES = {
    "django_migrations": _("In the manifest instead."),
    "office_cache": _("Temporary."),
    "common_generation": _("Temporary."),
}

# Tables that `migrate` fills. An import replaces their rows.
FILLED_BY_MIGRATE = ("common.GivenPermission", "auth.Group_permissions", "auth.Group")

# Small binary values that stay in their row; others are files.
INLINE = frozenset({"events.PackedSection.data"})
