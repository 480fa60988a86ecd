from datetime import date
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.db import transaction
from django.db.models import Q, QuerySet
from django.forms import BaseInlineFormSet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy

from players.fide.queries import newest_list
from players.fide.services.members import tell_of_changes, tell_of_membership
from players.guardians.services import shut_out
from players.members.queries import find_players
from players.members.services import BY_FILE, BY_HAND
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
    Intake,
    Invitation,
    Membership,
    MembershipType,
    NotSamePerson,
    Player,
    PlayerMerge,
)
from ratings_site.common.admin import (
    AuditedAdmin,
    FoundWhole,
    HistoryAdmin,
    LedgerAdmin,
    ReasonForm,
)
from ratings_site.common.database.locks import RatingsBusy, hold, hold_ratings_or
from ratings_site.common.models import User

# What others have to hear of when it changes.
TOLD_OF = ("birth_date", "residence", "fide_id")


# So many members of one name are looked for in other tables, the likeliest first.
MOST_NAMESAKES = 200


class FoundByMember(FoundWhole):
    """Looks for records by whom they are about, found as the office finds members.

    Such a column of *search_fields* is named like the relation: "player".
    """

    search_help_text = gettext_lazy("Member ID, FIDE ID or name, or another whole ID.")

    def found_in(self, column: str, text: str) -> Q:
        if column.startswith("^") or not self._leads_to_member(column):
            return super().found_in(column, text)
        likeliest = find_players(text).values_list("pk", flat=True)[:MOST_NAMESAKES]
        return Q(**{f"{column}__in": list(likeliest)})

    def _leads_to_member(self, column: str) -> bool:
        return get_fields_from_path(self.model, column)[-1].related_model is Player


def hold_ratings_for_form() -> None:
    """Let what is being rated finish, as long as nothing is changed yet."""
    with transaction.atomic():
        hold_ratings_or(forms.ValidationError)


class RatedOnFormSet(BaseInlineFormSet):
    """Lines on which ratings rest."""

    def clean(self) -> None:
        super().clean()
        if self.has_changed():
            hold_ratings_for_form()


class MembershipInline(admin.StackedInline):
    model = Membership
    formset = RatedOnFormSet
    extra = 0
    can_delete = False


class GuardianInline(admin.StackedInline):
    """Where notices about a child go; only who may change members sees it."""

    model = Guardian
    extra = 0
    fields = ["email"]
    verbose_name_plural = gettext_lazy("guardian (for the office only)")

    def has_view_permission(
        self, request: HttpRequest, obj: Player | None = None
    ) -> bool:
        return request.user.has_perm("players.change_player")


class ContactInline(GuardianInline):
    """The member's own address on record, to which a code for a claim goes."""

    model = Contact
    verbose_name_plural = gettext_lazy("e-mail on record (for the office only)")


class GuardianAccountInline(GuardianInline):
    """Whose accounts speak for the child; one is ended by saying when."""

    model = GuardianAccount
    fields = ["account", "ended_at"]
    autocomplete_fields = ["account"]
    can_delete = False
    verbose_name_plural = gettext_lazy("accounts of guardians")


class PlayerForm(ReasonForm):
    def clean(self) -> dict[str, Any]:
        """Let files and clerks that enter members finish, and then look for them."""
        try:
            with transaction.atomic():
                hold(BY_FILE)
                hold(BY_HAND)
        except RatingsBusy:
            raise forms.ValidationError(
                gettext("A file of members is being entered. Try again when it is.")
            ) from None
        if set(self.changed_data) & set(TOLD_OF):
            hold_ratings_for_form()
        return super().clean()


@admin.register(Player)
class PlayerAdmin(FoundWhole, AuditedAdmin):
    form = PlayerForm
    list_display = ["member_id", "family_name", "given_name", "state", "status"]
    # Not by state, which would ask every member for theirs; the search of members does.
    list_filter = ["status"]
    search_fields = ["member_id", "search_name", "search_given", "fide_id"]
    search_help_text = gettext_lazy("Member ID, FIDE ID or name.")
    inlines = [
        ContactInline,
        GuardianInline,
        GuardianAccountInline,
        MembershipInline,
    ]
    autocomplete_fields = ["account"]
    readonly_fields = ["status", "merged_into", "elsewhere"]
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
                "description": gettext_lazy(
                    "The status is changed, and members are merged, on the "
                    "office’s own pages."
                ),
            },
        ),
        (
            gettext_lazy("For the office only"),
            {
                "fields": [
                    "birth_date",
                    "gender",
                    "fide_id",
                    "elsewhere",
                    "account",
                ],
                "description": gettext_lazy("The birth date never leaves staff pages."),
            },
        ),
        (gettext_lazy("Why"), {"fields": ["reason_for_change"]}),
    ]

    def found(self, text: str) -> Q:
        return Q(pk__in=find_players(text).order_by().values("pk"))

    def get_readonly_fields(
        self, request: HttpRequest, obj: Player | None = None
    ) -> list[str]:
        """Leave a FIDE ID to the page that says what will happen."""
        return [*self.readonly_fields, *(["fide_id"] if obj else [])]

    @admin.display(description=gettext_lazy("FIDE ID and ratings of other bodies"))
    def elsewhere(self, player: Player) -> str:
        links = [
            (reverse("players_office:links"), gettext("FIDE IDs")),
            (reverse("players_office:cfc"), gettext("CFC ratings")),
        ]
        query = urlencode({"q": player.member_id})
        said = gettext("They are changed on pages that say what will happen: {pages}.")
        pages = format_html_join(
            ", ", '<a href="{}?{}">{}</a>', [(url, query, name) for url, name in links]
        )
        return format_html(said, pages=pages)

    def save_model(
        self, request: HttpRequest, obj: Player, form: forms.ModelForm, change: bool
    ) -> None:
        rows = Player.objects.filter(pk=obj.pk).values(*TOLD_OF)
        before = rows.first() or {
            "birth_date": obj.birth_date,
            "residence": obj.residence,
            "fide_id": None,
        }
        super().save_model(request, obj, form, change)
        tell_of_changes(obj, before, request.user)

    def save_formset(
        self,
        request: HttpRequest,
        form: forms.ModelForm,
        formset: forms.BaseModelFormSet,
        change: bool,
    ) -> None:
        super().save_formset(request, form, formset, change)
        for line_form in formset.forms:
            if line_form.has_changed():
                _tell_of_line(line_form, request.user)
                _shut_out_the_ended(line_form, request.user)


def _tell_of_line(form: forms.ModelForm, actor: User) -> None:
    """Tell those who rate of a membership, as it was and as it is."""
    line, before = form.instance, form.initial
    if isinstance(line, Membership):
        was_adult = MembershipType.objects.filter(
            pk=before.get("type"), is_adult=True
        ).exists()
        if was_adult or line.type.is_adult:
            from_day = _earlier(before.get("starts"), line.starts)
            tell_of_membership(line, actor, from_day)


def _shut_out_the_ended(form: forms.ModelForm, actor: User) -> None:
    line = form.instance
    if isinstance(line, GuardianAccount) and line.ended_at:
        shut_out(guardian=line, actor=actor)


def _earlier(before: date | None, now: date) -> date:
    return min(before or now, now)


@admin.register(MembershipType)
class MembershipTypeAdmin(AuditedAdmin):
    list_display = ["name", "is_adult"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: MembershipType | None = None
    ) -> list[str]:
        """Keep what the first ratings of its holders rest on; take another type."""
        return ["is_adult"] if obj and obj.membership_set.exists() else []


@admin.register(ExternalRating)
class ExternalRatingAdmin(FoundByMember, LedgerAdmin):
    """One that was entered by hand is taken back on its own page."""

    list_display = ["player", "body", "rating", "list_date", "source"]
    list_filter = ["body", "list_date"]
    list_select_related = ["player"]
    search_fields = ["player"]
    readonly_fields = ["taken_back"]

    @admin.display(description=gettext_lazy("Wrong?"))
    def taken_back(self, rating: ExternalRating) -> str:
        if rating.fide_list_id is not None:
            return gettext("It stands on a stored list, and follows it.")
        url = reverse("players_office:take_rating_back", args=[rating.pk])
        return format_html('<a href="{}">{}</a>', url, gettext("Take it back"))


@admin.register(FideList)
class FideListAdmin(HistoryAdmin):
    list_display = ["list_date", "state", "rows", "rated", "changed", "members"]
    list_filter = ["state"]


@admin.register(FideRating)
class FideRatingAdmin(LedgerAdmin):
    list_display = ["fide_id", "list", "rating", "games", "federation", "title"]
    list_select_related = ["list"]
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
        """Pass over a list that is being read; the index begins with the list."""
        return super().get_queryset(request).filter(list=newest_list())


class AboutMemberAdmin(FoundByMember, HistoryAdmin):
    """For history of members."""

    search_fields = ["player"]


class MemberLedgerAdmin(FoundByMember, LedgerAdmin):
    """For what grows with members and years."""

    search_fields = ["player"]


@admin.register(FideOptIn)
class FideOptInAdmin(AboutMemberAdmin):
    list_display = ["player", "opted_in_on", "opt_out_asked_on", "opted_out_on"]
    list_select_related = ["player"]
    search_fields = ["player"]


@admin.register(PlayerMerge)
class PlayerMergeAdmin(AboutMemberAdmin):
    list_display = ["at", "merged", "kept", "by", "reason", "undone_at"]
    list_select_related = ["merged", "kept", "by"]
    search_fields = ["kept", "merged"]


@admin.register(NotSamePerson)
class NotSamePersonAdmin(AboutMemberAdmin):
    list_display = ["at", "first", "second", "by", "reason"]
    list_select_related = ["first", "second", "by"]
    search_fields = ["first", "second"]


@admin.register(FideLinkRefusal)
class FideLinkRefusalAdmin(AboutMemberAdmin):
    list_display = ["at", "player", "fide_id", "by", "reason"]
    list_select_related = ["player", "by"]
    search_fields = ["player", "fide_id"]


@admin.register(Claim)
class ClaimAdmin(AboutMemberAdmin):
    list_display = ["created_at", "player", "account", "as_guardian", "state"]
    list_filter = ["state"]
    list_select_related = ["player", "account"]
    search_fields = ["player", "account__username"]
    exclude = ["salt"]


@admin.register(Invitation)
class InvitationAdmin(AboutMemberAdmin):
    list_display = ["made_at", "player", "as_guardian", "made_by", "used_at"]
    list_select_related = ["player", "made_by"]
    search_fields = ["player"]


@admin.register(ForgetRequest)
class ForgetRequestAdmin(AboutMemberAdmin):
    list_display = ["asked_at", "player", "account", "state", "decided_by"]
    list_filter = ["state"]
    list_select_related = ["player", "account", "decided_by"]
    search_fields = ["player"]


admin.site.register(
    Membership,
    MemberLedgerAdmin,
    list_display=["player", "type", "starts", "expires"],
    list_filter=["type"],
)
admin.site.register(
    Intake,
    HistoryAdmin,
    list_display=[
        "received_at",
        "kind",
        "file_name",
        "state",
        "rows_read",
        "new",
        "changed",
        "refused",
        "received_by",
    ],
    list_filter=["kind", "state"],
    # Rows and examples in these may hold birth dates.
    exclude=[
        "stored_as",
        "options",
        "headings",
        "passed_over",
        "totals",
        "columns",
        "sheet",
        "problem",
    ],
)
