"""Pages that are cached or work in maintenance mode, and tables that no page shows.

A public page that is not listed is rendered for each request, and every table that is
not listed changes the cache version: an omission makes pages slower, never stale.
"""

# By the names of their URLs.
_SITE = """
home help help_page sitemap sitemap_part robots players:search
""".split()
_EVENTS = """
list event export export_trf16 export_trf26 export_json export_csv calendar month
calendar_feed registered registered_ics affiliate affiliates director section_history
section_version
""".split()
_RATINGS = """
search suggest compare open_data events_feed state_feed corrections_feed member_feed
profile results head_to_head_choose head_to_head floors titles certificate crosstable
all_sections why classes classes_in class_members distribution distribution_in
distribution_file foreign_list foreign foreign_why laboratory how_ratings_work
chronology scales
laboratory_system laboratory_section laboratory_career lists open_lists compare_lists
list player_lists rankings ranking scholastic top improvers most_active rerates rerate
rerate_player experiments experiment experiment_sheet experiment_report
experiment_report_file experiment_data fide_norms standing standing_of_month
standing_csv laboratory_feed estimate estimate_target matches history_csv
""".split()
PUBLIC_PAGES = frozenset(
    [
        *_SITE,
        *(f"events:{name}" for name in _EVENTS),
        *(f"ratings:{name}" for name in _RATINGS),
    ]
)

_PRIVATE = """
django_admin_log django_content_type django_session
auth_group auth_group_permissions auth_permission
account_emailaddress account_emailconfirmation
mfa_authenticator allauth_idp_oidc_client allauth_idp_oidc_token
common_apikey common_apikeyuse common_apiuse common_auditentry
common_givenpermission common_job
common_notice common_noticesetting common_pendingact common_programaccess
common_signingkey common_uploadpart common_user
common_user_groups common_user_user_permissions common_webhook
common_webhookdelivery
players_claim players_invitation players_contact players_fidelinkrefusal
players_follow players_forgetrequest players_guardian players_guardianaccount
players_guardianconsent players_importword players_intake players_intakerow
players_notsameperson players_privacyrequest
players_sharelink
events_feecharge events_findingoverride events_foreignfile events_foreignwork
events_messagemark events_officetask events_ratingfee events_reportmessage
events_submissionfile
ratings_gamesfile ratings_listdraft ratings_signingkey
""".split()
# Written together with their calculation, whose table is watched.
_OF_CALCULATIONS = ("ratings_calculationinputs", "ratings_ratingchange")
# Shown once their run is published, and runs are watched.
_OF_RUNS = ("ratings_rundifference",)
PRIVATE_TABLES = frozenset([*_PRIVATE, *_OF_CALCULATIONS, *_OF_RUNS])

# What can be sent in maintenance mode: it changes nothing that is the office's.
READ_ONLY_VIEWS = frozenset(
    """
set_language account_login account_logout account_reauthenticate mfa_authenticate
mfa_reauthenticate ratings:estimate_section api-1.0:estimate_section
""".split()
)
