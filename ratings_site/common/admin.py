"""Admin pages of this app, and base classes of all admin pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from allauth.account.models import EmailAddress
from allauth.idp.oidc.adapter import get_adapter as get_oidc_adapter
from allauth.idp.oidc.models import Client, Token
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy

from ratings_site.common.audit.log import AuditSearch, subject_types
from ratings_site.common.audit.services import record
from ratings_site.common.models import (
    ApiKey,
    ApiKeyUse,
    AuditEntry,
    Job,
    Notice,
    NoticeSetting,
    Office,
    PendingAct,
    ProgramAccess,
    User,
    Webhook,
    WebhookDelivery,
)
from ratings_site.common.models.office import MAX_LOGO_BYTES, time_zones, validate_logo
from ratings_site.common.programs.kinds import API_SCOPES, OPENID, SCOPES
from ratings_site.common.programs.queries import redirect_fault
from ratings_site.common.programs.services import revoke_each
from ratings_site.common.sign_in.services import (
    address_changed_by_office,
    password_changed_by_office,
)

if TYPE_CHECKING:  # Django's classes take no type arguments at run time
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
    ModelForm = forms.ModelForm[Any]
    BaseUserAdmin = UserAdmin[User]
    BasePaginator = Paginator[Any]
    AdminMixin = ModelAdmin
else:
    ModelAdmin, TabularInline = admin.ModelAdmin, admin.TabularInline
    ModelForm, BaseUserAdmin = forms.ModelForm, UserAdmin
    BasePaginator, AdminMixin = Paginator, object


class AuditHistoryMixin(AdminMixin):
    """Shows the audit log of a record as its history."""

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        kind = self.model._meta.label_lower
        query = urlencode({"subject_type": kind, "subject_id": object_id})
        return redirect(f"{reverse('office:audit')}?{query}")


# Rows that are counted and paginated; others are found by search.
MAX_COUNTED = 10_000

# Types of columns that changelists do not load.
LARGE_FIELD_TYPES = (models.BinaryField, models.JSONField)


class CappedPaginator(BasePaginator):
    """Counts up to a limit, because a ledger has millions of lines."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[:MAX_COUNTED].count())

    @property
    def is_cut(self) -> bool:
        return self.count == MAX_COUNTED


class LargeTableMixin(AdminMixin):
    """Keeps changelists from scanning whole tables."""

    list_per_page = 50
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False


class ExactSearchMixin(AdminMixin):
    """Searches for exact values, which indexes support.

    Django's lookups (``icontains``, ``iexact``, casts to text) scan the table. A column
    after "^" belongs to a small table and is searched by prefix, but not for a number.
    Columns whose type does not accept the search term are skipped.
    """

    search_help_text = gettext_lazy(
        "Enter a full ID, date, or username, or the start of a name."
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term.strip()
        return (queryset.filter(self.found(text)) if text else queryset), False

    def found(self, text: str) -> Q:
        found = Q(pk__in=[])
        for column in self.search_fields:
            found |= self.found_in(column, text)
        return found

    def found_in(self, column: str, text: str) -> Q:
        nothing = Q(pk__in=[])
        if column.startswith("^"):
            begins = Q(**{f"{column[1:]}__istartswith": text})
            return nothing if text.isdecimal() else begins
        try:
            field = get_fields_from_path(self.model, column)[-1]
            value = field.clean(text, None)
        except ValidationError:
            return nothing
        return Q(**{column: value})


class ReadOnlyAdmin(LargeTableMixin, ExactSearchMixin, AuditHistoryMixin, ModelAdmin):
    """A read-only page for records that only services write."""

    ordering = ["-pk"]

    def get_list_select_related(
        self, request: HttpRequest
    ) -> list[str] | tuple[str, ...]:
        if isinstance(self.list_select_related, bool):
            return [
                field.name
                for field in self.opts.fields
                if field.is_relation and field.name in self.list_display
            ]
        return self.list_select_related

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer(*self._bulky(request))

    def _bulky(self, request: HttpRequest) -> Iterator[str]:
        """Yield the large columns of the model and of its related models."""
        owners: dict[str, Any] = {"": self.model}
        for path in self.get_list_select_related(request):
            last = get_fields_from_path(self.model, path)[-1]
            owners[f"{path}__"] = last.related_model
        for path, model in owners.items():
            for field in model._meta.fields:
                if isinstance(field, LARGE_FIELD_TYPES):
                    yield f"{path}{field.name}"

    def has_add_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, *args: object) -> bool:
        return False


class UnsortedChangeList(ChangeList):
    """Ignores the sort order in the URL."""

    def get_ordering_field(self, field_name: object) -> None:
        return None


class LedgerAdmin(ReadOnlyAdmin):
    """A read-only page without sorting, for millions of lines."""

    sortable_by = ()

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type:
        return UnsortedChangeList


class ReadOnlyInline(TabularInline):
    """A read-only inline."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: object) -> bool:
        return False


class ReasonForm(ModelForm):
    """Requires a reason for a manual change, for the audit log."""

    reason_for_change = forms.CharField(
        label=gettext_lazy("Reason"),
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy(
            "Why you are adding or changing this. The activity log keeps it "
            "permanently."
        ),
    )


class AuditedMixin(AuditHistoryMixin):
    """Records additions, changes and deletions, of inlines too, in the audit log."""

    audit_name = ""

    def save_model(
        self, request: HttpRequest, obj: Any, form: ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        changed = [name for name in form.changed_data if name != "reason_for_change"]
        record(
            f"{self._name_of(obj)}.{'changed' if change else 'added'}",
            subject=obj,
            actor=_actor(request),
            reason=form.cleaned_data.get("reason_for_change", ""),
            facts={name: _change(form, name) for name in changed},
        )

    def save_formset(
        self,
        request: HttpRequest,
        form: ModelForm,
        formset: forms.BaseModelFormSet[Any, Any],
        change: bool,
    ) -> None:
        """Record changes of inlines with the same reason."""
        deleted = [(line.instance, line.instance.pk) for line in formset.deleted_forms]
        super().save_formset(request, form, formset, change)
        lines: list[tuple[Any, list[str], str]]
        lines = [(line, [], "added") for line in formset.new_objects]
        lines += [(line, names, "changed") for line, names in formset.changed_objects]
        for line, pk in deleted:
            if pk is not None:  # deleted, which cleared its key
                line.pk = pk
                lines.append((line, [], "deleted"))
        for line, names, what in lines:
            record(
                f"{line._meta.model_name}.{what}",
                subject=line,
                actor=_actor(request),
                reason=form.cleaned_data.get("reason_for_change", ""),
                facts={"of": str(form.instance), "fields": names},
            )

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        with transaction.atomic():
            self._record_deletion(request, obj)
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        with transaction.atomic():
            for obj in queryset:
                self._record_deletion(request, obj)
            super().delete_queryset(request, queryset)

    def _record_deletion(self, request: HttpRequest, obj: Any) -> None:
        record(
            f"{self._name_of(obj)}.deleted",
            subject=obj,
            actor=_actor(request),
            facts=self.deletion_facts(obj),
        )

    def deletion_facts(self, obj: Any) -> dict[str, Any]:
        """Return facts for the audit entry of a deletion."""
        return {}

    def _name_of(self, obj: Any) -> str:
        return self.audit_name or obj._meta.model_name


class AuditedAdmin(AuditedMixin, LargeTableMixin, ModelAdmin):
    """For records that staff edit: each change is audited with its reason.

    Nothing can be deleted, because history depends on it.
    """

    form = ReasonForm

    def has_delete_permission(self, request: HttpRequest, *args: object) -> bool:
        return False


def _actor(request: HttpRequest) -> User:
    return cast("User", request.user)  # the admin lets only accounts in


def _change(form: ModelForm, name: str) -> dict[str, str]:
    return {
        "from": _in_words(form, name, form.initial.get(name)),
        "to": _in_words(form, name, form.cleaned_data.get(name)),
    }


def _in_words(form: ModelForm, name: str, value: Any) -> str:
    """Return a field's value as text, with records by name."""
    field = form.fields[name]
    if isinstance(field, forms.ModelMultipleChoiceField):
        return ", ".join(sorted(str(record) for record in value or ()))
    if isinstance(field, forms.ModelChoiceField) and isinstance(value, int):
        rows: Any = field.queryset
        value = rows.filter(pk=value).first()
    return "" if value is None else str(value)


# Its page would show the secrets of two-step verification.
admin.site.unregister(Authenticator)
# Its page would let clerks mark an address as verified without a code.
admin.site.unregister(EmailAddress)


@admin.register(EmailAddress)
class EmailAddressAdmin(ReadOnlyAdmin):
    list_display = ["email", "user", "verified", "primary"]
    list_filter = ["verified"]
    search_fields = ["email", "user__username"]


admin.site.unregister(Group)


@admin.register(Group)
class OfficeGroupAdmin(AuditedMixin, GroupAdmin):
    def deletion_facts(self, obj: Group) -> dict[str, Any]:
        return {
            "permissions": sorted(str(one) for one in obj.permissions.all()),
            "accounts": sorted(obj.user_set.values_list("username", flat=True)),
        }


@admin.register(User)
class OfficeUserAdmin(AuditedMixin, BaseUserAdmin):
    audit_name = "account"
    list_display = ["username", "email", "first_name", "last_name", "is_staff"]
    readonly_fields = ["last_login", "date_joined"]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, ...]:
        """Allow deletion of an account's email addresses together with the account."""
        deleted, counts, lacking, protected = super().get_deleted_objects(objs, request)
        own = {str(EmailAddress._meta.verbose_name)}
        return deleted, counts, {str(name) for name in lacking} - own, protected

    def deletion_facts(self, obj: User) -> dict[str, Any]:
        groups = obj.groups.order_by("name").values_list("name", flat=True)
        return {"username": obj.username, "groups": list(groups)}

    def save_model(
        self, request: HttpRequest, obj: User, form: ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        if change and "email" in form.changed_data:
            address_changed_by_office(
                request=request, user=obj, before=form.initial["email"]
            )

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """Record the change in the audit log and notify the owner."""
        answer = super().user_change_password(request, id, form_url)
        if request.method == "POST" and answer.status_code == 302:
            user = User.objects.get(pk=id)
            password_changed_by_office(
                request=request, user=user, actor=_actor(request)
            )
        return answer


@admin.register(AuditEntry)
class AuditEntryAdmin(LedgerAdmin):
    """Searches indexed columns; the office's audit page also searches reasons."""

    list_display = ["at", "actor", "action", "subject_name", "reason"]
    list_filter = ["at"]
    search_fields = ["action", "subject_type", "subject_id", "at"]
    search_help_text = gettext_lazy(
        "Enter the start of an action (section.), a record type and number "
        "(events.event 15), or a date (2026-05-04)."
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return _parse_search(search_term.strip()).among(queryset), False


def _parse_search(text: str) -> AuditSearch:
    """Return the search that *text* stands for."""
    kind, _, number = text.partition(" ")
    if kind in dict(subject_types()):
        return AuditSearch(subject_type=kind, subject_id=number)
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day:
        return AuditSearch(since=day, until=day)
    return AuditSearch(action=text)


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "kind", "key", "state", "attempts", "message"]
    list_filter = ["state", "kind"]
    search_fields = ["^kind", "key"]
    # May hold the encrypted text of an email.
    exclude = ["args"]


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = ["name", "prefix", "owner", "may_submit", "may_feed", "last_used_on"]
    list_filter = ["may_submit", "may_feed"]
    search_fields = ["^name", "prefix", "owner__username"]
    exclude = ["digest"]


@admin.register(ApiKeyUse)
class ApiKeyUseAdmin(ReadOnlyAdmin):
    list_display = ["key", "operation", "name", "last_used_on", "ends_on"]
    list_filter = ["ends_on", "operation"]
    list_select_related = ["key"]
    search_fields = ["key__prefix", "key__owner__username"]


@admin.register(PendingAct)
class PendingActAdmin(ReadOnlyAdmin):
    list_display = [
        "proposed_at",
        "title",
        "kind",
        "status",
        "proposed_by",
        "decided_by",
    ]
    list_filter = ["status"]
    exclude = ["payload"]


@admin.register(Notice)
class NoticeAdmin(LedgerAdmin):
    list_display = ["created_at", "account", "kind", "title", "read_at", "mailed_at"]
    search_fields = ["account__username"]
    exclude = ["text", "url"]


@admin.register(NoticeSetting)
class NoticeSettingAdmin(ReadOnlyAdmin):
    list_display = ["account", "kind", "channel", "is_on"]
    search_fields = ["account__username"]


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    list_display = ["url", "owner", "is_active", "created_at", "failing_since"]
    list_filter = ["is_active"]
    search_fields = ["owner__username"]
    exclude = ["salt"]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(LedgerAdmin):
    list_display = ["created_at", "webhook", "kind", "state", "attempts", "status"]
    search_fields = ["message_id"]
    exclude = ["body"]


class OfficeForm(ReasonForm):
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=lambda: [(name, name) for name in time_zones()],
        initial=Office._meta.get_field("time_zone").default,
        help_text=gettext_lazy("Used for dates and times across the site."),
    )
    new_logo = forms.FileField(
        label=gettext_lazy("New logo"),
        required=False,
        help_text=gettext_lazy("A PNG image, 200 kB or smaller."),
    )
    no_logo = forms.BooleanField(label=gettext_lazy("Remove the logo"), required=False)

    def clean_new_logo(self) -> UploadedFile[Any] | None:
        uploaded: UploadedFile[Any] | None = self.cleaned_data["new_logo"]
        if uploaded:
            self.instance.logo = uploaded.read(MAX_LOGO_BYTES + 1)
            validate_logo(self.instance.logo)
        return uploaded

    def clean_no_logo(self) -> bool:
        is_removed: bool = self.cleaned_data["no_logo"]
        if is_removed:
            self.instance.logo = b""
        return is_removed


@admin.register(Office)
class OfficeAdmin(AuditedAdmin):
    form = OfficeForm
    list_display = ["name", "address", "time_zone", "issues_ids", "ours_from"]

    def save_model(self, request: HttpRequest, obj: Office, *args: Any) -> None:
        """Refresh the office in this process; others follow within seconds."""
        obj.pk = Office.SINGLETON_ID
        super().save_model(request, obj, *args)
        transaction.on_commit(Office.refresh)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow adding only if there is no office yet, as without ``create_office``."""
        return super().has_add_permission(request) and not Office.objects.exists()


# Its page has no reasons, and allows what programs here never do; tokens are secrets.
admin.site.unregister([Client, Token])


class ClientForm(ReasonForm):
    """A program or site that may ask people for access.

    Without a way to sign in it is turned off, and all access is revoked.
    """

    grant_types = forms.MultipleChoiceField(
        label=gettext_lazy("Ways to sign in"),
        choices=[
            (Client.GrantType.DEVICE_CODE, gettext_lazy("Device code (programs)")),
            (Client.GrantType.AUTHORIZATION_CODE, gettext_lazy("Redirect (sites)")),
        ],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Choose none to turn it off and revoke all access."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What it can ask for"),
        choices=lambda: [(one, f"{one}: {label}") for one, label in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    redirect_uris = forms.CharField(
        label=gettext_lazy("Redirect addresses"),
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=2_000,
        required=False,
        help_text=gettext_lazy(
            "For sites, one per line: https://, or http://127.0.0.1 for a program."
        ),
    )
    new_secret = forms.BooleanField(
        label=gettext_lazy("Make a new client secret"), required=False
    )

    class Meta:
        model = Client
        fields = ("id", "name", "type", "grant_types", "scopes", "redirect_uris")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.name:
            kinds = set(self.instance.get_grant_types()) - {"refresh_token"}
            self.initial["grant_types"] = sorted(kinds)
            self.initial["scopes"] = self.instance.get_scopes()

    def clean_redirect_uris(self) -> str:
        uris = self.cleaned_data["redirect_uris"].split()
        for uri in uris:
            if sentence := redirect_fault(uri):
                raise ValidationError(f"{uri}: {sentence}")
        return "\n".join(uris)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        kinds, scopes = data.get("grant_types", []), {*data.get("scopes", [])}
        is_site = Client.GrantType.AUTHORIZATION_CODE in kinds
        is_device = Client.GrantType.DEVICE_CODE in kinds
        if is_site and not data.get("redirect_uris", "-"):
            self.add_error("redirect_uris", gettext("Enter at least one address."))
        kind = data.get("type", self.instance.type)  # read-only once registered
        if is_device and kind != Client.Type.PUBLIC:
            said = gettext(
                "A program with a device code is public: it keeps no secret."
            )
            self.add_error("type" if "type" in self.fields else None, said)
        if is_device and not scopes & {*API_SCOPES}:
            said = gettext("A program with a device code needs a scope of the API.")
            self.add_error("scopes", said)
        if is_site and not is_device and scopes and OPENID not in scopes:
            self.add_error("scopes", gettext("A site needs the scope openid."))
        return data


@admin.register(Client)
class ClientAdmin(AuditedAdmin):
    form = ClientForm
    audit_name = "program"
    list_display = ["name", "id", "type", "scopes", "created_at"]
    list_filter = ["type"]
    search_fields = ["id", "name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["id", "type"] if obj else []

    def save_model(
        self, request: HttpRequest, obj: Client, form: ModelForm, change: bool
    ) -> None:
        """Save the lists, show a new secret once, and revoke what is turned off."""
        kinds: list[str] = form.cleaned_data["grant_types"]
        obj.set_scopes(form.cleaned_data["scopes"])
        obj.set_grant_types([*kinds, "refresh_token"] if kinds else [])
        is_site = Client.GrantType.AUTHORIZATION_CODE in kinds
        obj.response_types = Client.ResponseType.CODE if is_site else ""
        is_secret = obj.type == Client.Type.CONFIDENTIAL
        if not change or (is_secret and form.cleaned_data["new_secret"]):
            secret = get_oidc_adapter().generate_client_secret()
            obj.set_secret(secret)
            if is_secret:
                said = gettext(
                    "Copy the client secret now. It is not shown again: {secret}"
                )
                messages.warning(request, said.format(secret=secret))
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            if not kinds:
                revoke_each(
                    ProgramAccess.objects.filter(client=obj),
                    actor=_actor(request),
                    reason=form.cleaned_data["reason_for_change"],
                )


@admin.register(ProgramAccess)
class ProgramAccessAdmin(ReadOnlyAdmin):
    list_display = ["client", "owner", "scopes", "granted_at", "revoked_at"]
    search_fields = ["client__id", "owner__username"]
    exclude = ["subject"]
