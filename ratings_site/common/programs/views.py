# mypy: disallow-subclassing-any=False, disallow-untyped-decorators=False
"""The pages of consent and device codes, the endpoints, and the account's programs."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.account.internal.userkit import user_id_to_str
from allauth.core.internal import ratelimit
from allauth.idp.oidc import views as allauth_views
from allauth.idp.oidc.adapter import get_adapter
from allauth.idp.oidc.internal.clientkit import is_loopback
from allauth.idp.oidc.internal.oauthlib import device_codes
from allauth.idp.oidc.internal.oauthlib.server import get_server
from allauth.idp.oidc.internal.oauthlib.utils import extract_params, respond_html_error
from allauth.idp.oidc.models import Client, Token
from django.contrib import messages
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)
from oauthlib.oauth2.rfc6749 import errors

from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.models import User
from ratings_site.common.programs.forms import ConsentForm, UserCodeForm
from ratings_site.common.programs.kinds import (
    API_SCOPES,
    SCOPES,
    member_choices,
    scope_labels,
)
from ratings_site.common.programs.queries import active_programs
from ratings_site.common.programs.services import (
    end_unused_access,
    grant_access,
    revoke_access,
)
from ratings_site.common.web.requests import SignedInRequest

METADATA_SECONDS: Final = 3600
PKCE: Final = "S256"

Endpoint = Callable[..., HttpResponse]


# Endpoints for programs


def endpoint(action: str, view: Endpoint) -> Endpoint:
    """Limit the rate of a JSON endpoint, and refuse what no program sends."""

    @wraps(view)  # with its exemption from CSRF
    def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not ratelimit.consume(
            request, app="allauth.idp.oidc", action=action, limit_get=True
        ):
            response = _oauth_error("slow_down", "Too many requests.", status=429)
            response["Retry-After"] = "60"
            return response
        sent = [*request.GET.values(), *request.POST.values()]
        if any("\x00" in value for value in sent):
            return _oauth_error("invalid_request", "A parameter has a null character.")
        try:
            response = view(request, *args, **kwargs)
        except ValidationError as fault:  # the resource (RFC 8707)
            response = _oauth_error("invalid_target", " ".join(fault.messages))
        except ValueError:  # oauthlib cannot parse the query or the form
            response = _oauth_error("invalid_request", "The request can't be read.")
        response["Cache-Control"] = "no-store"
        return response

    return limited


def _oauth_error(error: str, description: str, *, status: int = 400) -> HttpResponse:
    said = {"error": error, "error_description": description}
    return JsonResponse(said, status=status)


class DeviceCodeView(allauth_views.DeviceCodeView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Require scopes, of the API only: other sites sign in with a code."""
        scopes = request.POST.get("scope", "").split()
        if not scopes or not {*scopes} <= {*API_SCOPES}:
            return _oauth_error(
                "invalid_scope", f"Send a scope: one or more of {' '.join(API_SCOPES)}."
            )
        client = Client.objects.filter(pk=request.POST.get("client_id", "")).first()
        if client and Client.GrantType.DEVICE_CODE not in client.get_grant_types():
            return _oauth_error(
                "unauthorized_client", "This client is not registered for device codes."
            )
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


class RevokeView(allauth_views.RevokeView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Revoke a token; with the last one, the program's access ends."""
        token = Token.objects.by_value(request.POST.get("token", "")).first()
        response: HttpResponse = super().post(request, *args, **kwargs)
        gone = token and not Token.objects.filter(pk=token.pk).exists()
        if token and gone and token.user_id and token.client_id:
            end_unused_access(client_id=token.client_id, owner_id=token.user_id)
        return response


token = endpoint("token", allauth_views.token)
revoke = endpoint("revoke", RevokeView.as_view())
device_code = endpoint("device_code", DeviceCodeView.as_view())
userinfo = endpoint("userinfo", allauth_views.user_info)


@require_safe
def configuration(request: HttpRequest) -> HttpResponse:
    """Return the discovery document (OpenID Connect Discovery 1.0, RFC 8414)."""

    def url(name: str) -> str:
        return request.build_absolute_uri(reverse(f"idp:oidc:{name}"))

    document = {
        "issuer": get_adapter().get_issuer(),
        "authorization_endpoint": url("authorization"),
        "device_authorization_endpoint": url("device_code"),
        "token_endpoint": url("token"),
        "userinfo_endpoint": url("userinfo"),
        "revocation_endpoint": url("revoke"),
        "jwks_uri": url("jwks"),
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [
            "authorization_code",
            "refresh_token",
            "urn:ietf:params:oauth:grant-type:device_code",
        ],
        "code_challenge_methods_supported": [PKCE],
        "token_endpoint_auth_methods_supported": [
            *("none", "client_secret_basic", "client_secret_post")
        ],
        "subject_types_supported": ["pairwise"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "claims_supported": [
            *("sub", "name", "given_name", "family_name", "member_id"),
            *("official_ratings", "membership", "td_level"),
        ],
        "ui_locales_supported": ["en", "es"],
        "service_documentation": request.build_absolute_uri("/api/v1/docs/"),
    }
    response = JsonResponse(document)
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = f"public, max-age={METADATA_SECONDS}"
    return response


# Consent to another site


@method_decorator(never_cache, name="dispatch")
class ConsentView(allauth_views.AuthorizationView):
    form_class = ConsentForm
    template_name = "common/programs/consent.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Check the request before the sign-in, so that a refusal needs no form."""
        try:
            _check_request(request)
        except (errors.FatalClientError, ValidationError, ValueError) as fault:
            return _refusal(request, fault)
        except errors.OAuth2Error as fault:
            to = fault.in_uri(request.GET["redirect_uri"])
            return HttpResponse(status=302, headers={"Location": to})
        response: HttpResponse = super().get(request, *args, **kwargs)
        return response

    def form_valid(self, form: ConsentForm) -> HttpResponse:
        with transaction.atomic():
            grant_access(
                owner=self.request.user,
                client=Client.objects.get(pk=self._request_info["client_id"]),
                scopes=form.cleaned_data["scopes"],
                member_id=form.cleaned_data.get("member", ""),
            )
            response: HttpResponse = super().form_valid(form)
        return response

    def render_to_response(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Allow the form to lead to the other site, and to no third one."""
        response: HttpResponse = super().render_to_response(*args, **kwargs)
        to = _csp_source(self._request_info["redirect_uri"])
        response._csp_update = {"form-action": [to]}  # type: ignore[attr-defined]
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        where = urlsplit(self._request_info["redirect_uri"])
        return {**context, "site": where.hostname or f"{where.scheme}:"}


def _check_request(request: HttpRequest) -> None:
    """Raise an error of oauthlib unless a site may ask for this in this way."""
    if any("\x00" in value for value in request.GET.values()):
        raise errors.InvalidRequestFatalError("A parameter has a null character.")
    redirect_uri = request.GET.get("redirect_uri", "")
    client = Client.objects.filter(pk=request.GET.get("client_id", "")).first()
    if client and not redirect_uri:
        raise errors.MissingRedirectURIError()
    if client and not _is_registered(client, redirect_uri):
        raise errors.MismatchingRedirectURIError()
    prompts = request.GET.get("prompt", "").split()
    state = request.GET.get("state")
    if client and "none" in prompts:
        raise errors.ConsentRequired(state=state)
    _scopes, said = get_server().validate_authorization_request(
        *extract_params(request)
    )
    if said.get("code_challenge_method") != PKCE:
        raise errors.InvalidRequestError(
            "Send a code_challenge with code_challenge_method=S256 (RFC 7636).",
            state=state,
        )


def _is_registered(client: Client, redirect_uri: str) -> bool:
    """Return whether an address is registered; on the own machine, with any port."""

    def without_port(uri: str) -> str:
        parts = urlsplit(uri)
        return parts._replace(netloc=parts.hostname or "").geturl()

    registered = client.get_redirect_uris()
    if redirect_uri in registered:
        return True
    parts = urlsplit(redirect_uri)
    _port, is_plain = (
        parts.port,
        "@" not in parts.netloc,
    )  # a bad port raises ValueError
    local = [one for one in registered if is_loopback(urlsplit(one))]
    return is_plain and without_port(redirect_uri) in map(without_port, local)


def _csp_source(uri: str) -> str:
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https"):
        return f"{parts.scheme}:"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def _refusal(request: HttpRequest, fault: Exception) -> HttpResponse:
    response: HttpResponse = respond_html_error(request, error=fault)
    response.status_code = 400
    return response


# Device sign-in


@account_required
@require_http_methods(["GET", "HEAD", "POST"])
def device(request: SignedInRequest) -> HttpResponse:
    """Take the code that a program shows, and allow or refuse its access."""
    typed = request.POST if request.method == "POST" else request.GET
    form = UserCodeForm(typed if "code" in typed else None)
    if not form.is_valid():
        if decided := _decided(request.user, form.typed):
            return render(request, "common/programs/device_confirm.html", decided)
        status = 422 if form.is_bound else 200
        return render(
            request, "common/programs/device.html", {"form": form}, status=status
        )
    asked = cache.get(device_codes.cache_device_code_key(form.device_code)) or {}
    scopes = asked.get("scope") or []
    context = {
        "client": form.client,
        "code": form.cleaned_data["code"],
        "scopes": scope_labels(scopes),
    }
    decision = request.POST.get("decision")
    if decision in ("allow", "refuse"):
        with transaction.atomic():
            is_open = device_codes.confirm_or_deny_device_code(
                request.user, form.device_code, confirm=decision == "allow"
            )
            if is_open and decision == "allow":
                grant_access(owner=request.user, client=form.client, scopes=scopes)
        before = {} if is_open else _decided(request.user, form.typed)
        context |= {"decision": decision if is_open else "refuse"} | before
    return render(request, "common/programs/device_confirm.html", context)


def _decided(user: User, code: str) -> dict[str, Any]:
    """Return what this user has decided about a code, for a form that is sent twice."""
    device_code = cache.get(device_codes.cache_user_code_key(code))
    asked = cache.get(device_codes.cache_device_code_key(device_code)) or {}
    if asked.get("granted") is None or asked["user"] != user_id_to_str(user):
        return {}
    client = Client.objects.get(pk=asked["client_id"])
    return {"client": client, "decision": "allow" if asked["granted"] else "refuse"}


# The account's programs


@account_required
@require_safe
def programs(request: SignedInRequest) -> HttpResponse:
    choices = member_choices(request.user)
    names = {number: one.name for one in choices for number in one.ids}
    rows = [
        {
            "access": access,
            "scopes": scope_labels(access.scope_list),
            "member": names.get(access.member_id, access.member_id),
        }
        for access in active_programs(request.user)
    ]
    return render(request, "common/programs/programs.html", {"rows": rows})


@account_required
@require_POST
def revoke_program(request: SignedInRequest, pk: int) -> HttpResponse:
    access = active_programs(request.user).filter(pk=pk).first()
    if access is None:
        raise Http404(_("You don’t have this program."))
    revoke_access(access_id=access.pk, actor=request.user)
    messages.success(request, _("Access revoked."))
    return redirect("programs")
