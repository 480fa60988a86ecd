from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.forms import BaseInlineFormSet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.fide.queries import newest_list
from players.fide.services.members import (
    report_member_changes,
    report_membership_change,
)
from players.guardians.services import revoke_guardian_access
from players.imports.kinds import PERMISSION
from players.members.queries import find_players
from players.members.services import MEMBER_FILE_LOCK, MEMBER_ID_LOCK
from players.models import (
    Claim,
    Contact,
    ExternalRating,
    FideLinkRefusal,
    FideList,
    FideOptIn,
    FidePlayer,
    FideRating,
    ForgetRequest,
    Guardian,
    GuardianAccount,
    ImportWord,
    Intake,
    Invitation,
    Membership,
    MembershipType,
    NotSamePerson,
    Player,
    PlayerMerge,
    PrivacyRequest,
)
from ratings_site.common.admin import (
    AuditedAdmin,
    AuditedMixin,
    ExactSearchMixin,
    LedgerAdmin,
    ReadOnlyAdmin,
    ReasonForm,
)
from ratings_site.common.db.locks import (
    RatingsBusy,
    acquire_lock,
    lock_ratings_or_refuse,
)
from ratings_site.common.models import User

# The ratings app is notified when one of these changes.
RATING_FIELDS = ("birth_date", "birth_year", "residence", "fide_id")


# Limit on namesakes that are looked up in other tables, the best matches first.
MAX_NAMESAKES = 200


class MemberSearchMixin(ExactSearchMixin):
    """Finds records by the member they belong to, with the office's member search.

    Such a column of *search_fields* is named like the relation: "player".
    """

    search_help_text = _("Enter a member ID, FIDE ID, or name, or another full ID.")

    def found_in(self, column: str, text: str) -> Q:
        if column.startswith("^") or not self._is_member_relation(column):
            return super().found_in(column, text)
        likeliest = find_players(text).values_list("pk", flat=True)[:MAX_NAMESAKES]
        return Q(**{f"{column}__in": list(likeliest)})

    def _is_member_relation(self, column: str) -> bool:
        return get_fields_from_path(self.model, column)[-1].related_model is Player


def lock_ratings_for_form() -> None:
    """Wait for a running rating job before anything is changed."""
    with transaction.atomic():
        lock_ratings_or_refuse(forms.ValidationError)


class RatingInputFormSet(BaseInlineFormSet):  # type: ignore[type-arg]
    """Rows that ratings depend on."""

    def clean(self) -> None:
        super().clean()
        if self.has_changed():
            lock_ratings_for_form()


class MembershipInline(admin.StackedInline):  # type: ignore[type-arg]
    model = Membership
    formset = RatingInputFormSet
    extra = 0
    can_delete = False


class GuardianInline(admin.StackedInline):  # type: ignore[type-arg]
    """Where notices about a child go; requires permission to change members."""

    model: type[Model] = Guardian
    extra = 0
    fields = ["email"]
    verbose_name_plural = _("parent or guardian (office only)")

    def has_view_permission(
        self, request: HttpRequest, obj: Player | None = None
    ) -> bool:
        return request.user.has_perm("players.change_player")


class ContactInline(GuardianInline):
    """The member's own address on record, which receives the code of a link request."""

    model = Contact
    verbose_name_plural = _("email on record (office only)")


class GuardianAccountFormSet(BaseInlineFormSet):  # type: ignore[type-arg]
    def clean(self) -> None:
        """Refuse an account in two open rows; rows are only checked one by one."""
        super().clean()
        rows = [getattr(form, "cleaned_data", {}) for form in self.forms]
        given = [row.get("account") for row in rows if not row.get("ended_at")]
        accounts = [account for account in given if account]
        if len(set(accounts)) < len(accounts):
            raise forms.ValidationError(
                gettext("This account is already linked to the child.")
            )


class GuardianAccountInline(GuardianInline):
    """The guardian accounts of a child; setting an end date revokes one."""

    model = GuardianAccount
    formset = GuardianAccountFormSet
    fields = ["account", "ended_at"]
    autocomplete_fields = ["account"]
    can_delete = False
    verbose_name_plural = _("accounts of parents or guardians")


class PlayerForm(ReasonForm):
    def clean(self) -> dict[str, Any]:
        """Wait for imports and clerks that are adding members, then validate."""
        try:
            with transaction.atomic():
                acquire_lock(MEMBER_FILE_LOCK)
                acquire_lock(MEMBER_ID_LOCK)
        except RatingsBusy:
            raise forms.ValidationError(
                gettext("A member import is running. Try again when it has finished.")
            ) from None
        if set(self.changed_data) & set(RATING_FIELDS):
            lock_ratings_for_form()
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("birth_date") and "birth_year" not in self.changed_data:
            cleaned["birth_year"] = None
        return cleaned


@admin.register(Player)
class PlayerAdmin(ExactSearchMixin, AuditedAdmin):
    form = PlayerForm
    list_display = ["member_id", "family_name", "given_name", "state", "status"]
    # No filter by state: it would scan every member. The member search has one.
    list_filter = ["status"]
    search_fields = ["member_id", "search_name", "search_given", "fide_id"]
    search_help_text = _("Enter a member ID, FIDE ID, or name.")
    inlines = [ContactInline, GuardianInline, GuardianAccountInline, MembershipInline]
    autocomplete_fields = ["account"]
    readonly_fields = ["status", "merged_into", "external_links"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "member_id",
                    ("given_name", "family_name", "suffix"),
                    ("state", "residence", "federation"),
                    ("status", "merged_into"),
                ],
                "description": _(
                    "Change a member’s status and merge members on the Office pages."
                ),
            },
        ),
        (
            _("Office only"),
            {
                "fields": [
                    ("birth_date", "birth_year"),
                    "gender",
                    "fide_id",
                    "external_links",
                    "account",
                ],
                "description": _("Birth dates appear on staff pages only."),
            },
        ),
        (_("Reason"), {"fields": ["reason_for_change"]}),
    ]

    def found(self, text: str) -> Q:
        return Q(pk__in=find_players(text).order_by().values("pk"))

    def get_readonly_fields(
        self, request: HttpRequest, obj: Player | None = None
    ) -> list[str]:
        """Make the FIDE ID read-only: its own page previews the effects of a change."""
        return [*self.readonly_fields, *(["fide_id"] if obj else [])]

    @admin.display(description=_("FIDE ID and ratings from other federations"))
    def external_links(self, player: Player) -> str:
        links = [
            (reverse("players_office:links"), gettext("FIDE IDs")),
            (reverse("players_office:cfc"), gettext("CFC ratings")),
        ]
        query = urlencode({"q": player.member_id})
        message = gettext("Change these on their own pages: {pages}.")
        pages = format_html_join(
            ", ", '<a href="{}?{}">{}</a>', [(url, query, name) for url, name in links]
        )
        return format_html(message, pages=pages)

    def save_model(
        self,
        request: HttpRequest,
        obj: Player,
        form: "forms.ModelForm[Player]",
        change: bool,
    ) -> None:
        rows = Player.objects.filter(pk=obj.pk).values(*RATING_FIELDS)
        before = rows.first() or {
            "birth_date": obj.birth_date,
            "birth_year": obj.birth_year,
            "residence": obj.residence,
            "fide_id": None,
        }
        super().save_model(request, obj, form, change)
        report_member_changes(obj, before, cast(User, request.user))

    def save_formset(
        self,
        request: HttpRequest,
        form: "forms.ModelForm[Player]",
        formset: "forms.BaseModelFormSet[Any, Any]",
        change: bool,
    ) -> None:
        super().save_formset(request, form, formset, change)
        actor = cast(User, request.user)
        for line_form in formset.forms:
            if line_form.has_changed():
                _report_membership_change(line_form, actor)
                _revoke_ended_guardian(line_form, actor)


def _report_membership_change(form: "forms.ModelForm[Any]", actor: User) -> None:
    """Notify the ratings app of a membership's old and new values."""
    line, before = form.instance, form.initial
    if isinstance(line, Membership):
        adult = MembershipType.objects.filter(is_adult=True)
        was_adult = "type" in before and adult.filter(pk=before["type"]).exists()
        if was_adult or line.type.is_adult:
            from_day = min(before.get("starts") or line.starts, line.starts)
            report_membership_change(line, actor, from_day)


def _revoke_ended_guardian(form: "forms.ModelForm[Any]", actor: User) -> None:
    line = form.instance
    if isinstance(line, GuardianAccount) and line.ended_at:
        revoke_guardian_access(guardian=line, actor=actor)


@admin.register(MembershipType)
class MembershipTypeAdmin(AuditedAdmin):
    list_display = ["name", "is_adult"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: MembershipType | None = None
    ) -> list[str]:
        """Make *is_adult* read-only once used: initial ratings depend on it."""
        return ["is_adult"] if obj and obj.membership_set.exists() else []


@admin.register(ExternalRating)
class ExternalRatingAdmin(MemberSearchMixin, LedgerAdmin):
    """Ratings entered manually are removed on their own page."""

    list_display = ["player", "body", "rating", "list_date", "source"]
    list_filter = ["body", "list_date"]
    search_fields = ["player"]
    readonly_fields = ["removal_link"]

    @admin.display(description=_("Correction"))
    def removal_link(self, rating: ExternalRating) -> str:
        if rating.fide_list_id is not None:
            return gettext("This rating comes from a stored FIDE list.")
        url = reverse("players_office:take_rating_back", args=[rating.pk])
        return format_html('<a href="{}">{}</a>', url, gettext("Remove this rating"))


@admin.register(FideList)
class FideListAdmin(ReadOnlyAdmin):
    list_display = ["list_date", "state", "rows", "rated", "changed", "members"]
    list_filter = ["state"]


@admin.register(FideRating)
class FideRatingAdmin(LedgerAdmin):
    list_display = ["fide_id", "list", "rating", "games", "federation", "title"]
    search_fields = ["fide_id"]


@admin.register(FidePlayer)
class FidePlayerAdmin(LedgerAdmin):
    list_display = [
        "fide_id",
        "name",
        "federation",
        "title",
        "rating",
        "rapid",
        "blitz",
    ]
    search_fields = ["fide_id"]
    exclude = ["birth_year"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[FidePlayer]:
        """Exclude a list that is being imported; the index starts with the list."""
        return super().get_queryset(request).filter(list=newest_list())


class AboutMemberAdmin(MemberSearchMixin, ReadOnlyAdmin):
    """Base class for history records of members."""

    search_fields = ["player"]


class MemberLedgerAdmin(MemberSearchMixin, LedgerAdmin):
    """Base class for tables that grow with members and years."""

    search_fields = ["player"]


@admin.register(FideOptIn)
class FideOptInAdmin(AboutMemberAdmin):
    list_display = ["player", "opted_in_on", "opt_out_asked_on", "opted_out_on"]


@admin.register(PlayerMerge)
class PlayerMergeAdmin(AboutMemberAdmin):
    list_display = ["at", "merged", "kept", "by", "reason", "undone_at"]
    search_fields = ["kept", "merged"]


@admin.register(NotSamePerson)
class NotSamePersonAdmin(AboutMemberAdmin):
    list_display = ["at", "first", "second", "by", "reason"]
    search_fields = ["first", "second"]


@admin.register(FideLinkRefusal)
class FideLinkRefusalAdmin(AboutMemberAdmin):
    list_display = ["at", "player", "fide_id", "by", "reason"]
    search_fields = ["player", "fide_id"]


@admin.register(Claim)
class ClaimAdmin(AboutMemberAdmin):
    list_display = ["created_at", "player", "account", "as_guardian", "state"]
    list_filter = ["state"]
    search_fields = ["player", "account__username"]
    exclude = ["salt"]


@admin.register(Invitation)
class InvitationAdmin(AboutMemberAdmin):
    list_display = ["made_at", "player", "as_guardian", "made_by", "used_at"]


@admin.register(ForgetRequest, PrivacyRequest)
class MemberRequestAdmin(AboutMemberAdmin):
    list_display = ["asked_at", "player", "account", "state", "decided_by"]
    list_filter = ["state"]


@admin.register(Membership)
class MembershipAdmin(MemberLedgerAdmin):
    list_display = ["player", "type", "starts", "expires"]
    list_filter = ["type"]


@admin.register(Intake)
class IntakeAdmin(ReadOnlyAdmin):
    list_display = [
        "received_at",
        "kind",
        "file_name",
        "state",
        "rows_read",
        "new",
        "changed",
        "refused",
        "received_by",
    ]
    list_filter = ["kind", "state"]
    # Values in these may contain birth dates.
    exclude = [
        "stored_as",
        "options",
        "headings",
        "passed_over",
        "totals",
        "columns",
        "sheet",
        "problem",
        "notes",
        "faults",
    ]


@admin.register(ImportWord)
class ImportWordAdmin(AuditedMixin, ReadOnlyAdmin):
    """Meanings of status words. A deleted word is asked about in the next file."""

    list_display = ["word", "meaning", "decided_at", "decided_by"]
    search_fields = ["word"]

    def has_delete_permission(self, request: HttpRequest, *args: object) -> bool:
        return request.user.has_perm(PERMISSION)

    def deletion_facts(self, obj: ImportWord) -> dict[str, Any]:
        return {"word": obj.word, "meaning": obj.meaning}
