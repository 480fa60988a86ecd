"""Each action needs its own permission, which the service checks first."""

import inspect
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission

from events.corrections.services import requests as corrections
from events.foreign.services import files as foreign_files
from events.foreign.services import results as foreign
from events.foreign.services import worklist as foreign_worklist
from events.reports.services import submissions
from events.review.services import acceptance, colleagues
from events.review.services import invitations as director_lists
from events.review.services import office_tasks as office_tasks
from players.claims.services import claims as claims
from players.claims.services import invitation_lists, invitations
from players.external import services as external_ratings
from players.fide.services import links, opt_ins
from players.fide.services import lists as fide_lists
from players.identity import services as merges
from players.imports.services import actions as intakes
from players.members import services as members
from players.privacy import services as privacy
from ratings.decisions.floors.services import (
    adjustments,
    floors,
    life_masters,
)
from ratings.foreign import services as rating_foreign
from ratings.lists.services import lists as official_lists
from ratings.pages.my_data import services as my_data
from ratings.previews.floor_requests import services as floor_requests
from ratings.rerates.services import publishing, start, undo
from ratings.research.experiments.services import lifecycle as experiments
from ratings_site.common.accounts.permissions import (
    NotAllowed,
    action_permissions,
    require_permission,
)
from ratings_site.common.jobs import services as jobs
from ratings_site.common.models import AuditEntry
from ratings_site.common.sign_in import services as sign_in
from ratings_site.leaving.services import requests as exports
from tests.factories import make_user

pytestmark = pytest.mark.django_db

SERVICES: dict[str, list[Callable]] = {
    "common.export_office": [exports.request_export],
    "common.invite_staff": [colleagues.invite_colleague, colleagues.confirm_colleague],
    "common.reset_factors": [sign_in.reset_factors],
    "common.retry_job": [jobs.retry_failed],
    "events.decide_correction": [
        corrections.restate_correction,
        corrections.approve_correction,
        corrections.refuse_correction,
    ],
    "events.rate_foreign": [
        foreign.enter_event,
        foreign.change_event,
        foreign.enter_result,
        foreign.look_up_again,
        foreign.exclude_result,
        foreign.restore_result,
        foreign.correct_result,
        foreign_files.receive_file,
        foreign_worklist.prepare_worklist,
        foreign_worklist.reopen_work,
        rating_foreign.mark_ready,
        rating_foreign.rate_batch,
    ],
    "events.review_submission": [
        acceptance.accept_report,
        submissions.return_report,
        office_tasks.decide_office_task,
    ],
    "players.add_externalrating": [external_ratings.enter_rating],
    "players.approve_opt_out": [opt_ins.opt_out],
    "players.change_status": [members.change_status],
    "players.decide_claim": [
        claims.grant_claim,
        claims.refuse_claim,
        invitations.invite,
        invitation_lists.receive_list,
        director_lists.create_director_list,
    ],
    "players.change_privacy": [privacy.decide_privacy, privacy.decline_privacy],
    "players.forget_member": [my_data.delete_member_data, my_data.decline_deletion],
    "players.import_fide_list": [fide_lists.receive_list, fide_lists.cancel_import],
    "players.link_fide_id": [
        links.link_fide_id,
        links.unlink_fide_id,
        links.decline_link,
    ],
    "players.merge_players": [
        merges.merge_players,
        merges.undo_merge,
        merges.mark_not_duplicates,
    ],
    "players.take_in": [
        intakes.receive_file,
        intakes.recheck,
        intakes.apply_intake,
        intakes.reject_intake,
        intakes.undo_intake,
    ],
    "ratings.adjust_rating": [
        adjustments.propose_adjustment,
        adjustments.propose_withdrawal,
    ],
    "ratings.grant_floor": [
        floors.propose_office_floor,
        floors.end_floor,
        life_masters.propose_life_master,
        life_masters.set_aside_life_master,
    ],
    "ratings.impose_ceiling": [floors.impose_ceiling, floors.end_ceiling],
    "ratings.lower_floor": [floor_requests.decide_floor_request],
    "ratings.publish_experiment": [
        experiments.publish_experiment,
        experiments.withdraw_experiment,
    ],
    "ratings.publish_list": [official_lists.publish_list],
    "ratings.publish_rerate": [publishing.publish_rerate, publishing.discard_rerate],
    "ratings.run_experiment": [
        experiments.request_experiment,
        experiments.cancel_experiment,
        experiments.resume_experiment,
        experiments.repeat_experiment,
    ],
    "ratings.start_rerate": [start.start_rerate, start.retry_rerate],
    "ratings.undo_rerate": [undo.undo_rerate],
}
# Actions that members can take for themselves without a permission.
TESTED_WITH_THEIR_SERVICE = {"players.enter_opt_in"}


def all_permissions_except(permission: str):
    """A user with all permissions except that of this action."""
    app, _, codename = permission.partition(".")
    user = make_user(is_staff=True)
    user.user_permissions.set(
        Permission.objects.exclude(content_type__app_label=app, codename=codename)
    )
    return user


@pytest.mark.parametrize(
    ("permission", "service"),
    [
        pytest.param(permission, service, id=f"{service.__name__}-{permission}")
        for permission, services in SERVICES.items()
        for service in services
    ],
)
def test_a_service_refuses_who_lacks_its_permission(permission, service):
    actor = all_permissions_except(permission)
    given = dict.fromkeys(inspect.signature(service).parameters)
    with pytest.raises(NotAllowed) as refused:
        service(**{**given, "actor": actor})
    assert refused.value.permission == permission
    assert not AuditEntry.objects.exists()


def test_every_action_has_a_permission_test():
    assert set(action_permissions()) - set(SERVICES) == TESTED_WITH_THEIR_SERVICE


def test_who_has_the_permission_and_the_office_s_own_tasks_pass():
    user = all_permissions_except("ratings.publish_rerate")
    require_permission(user, "ratings.undo_rerate")
    require_permission(None, "ratings.publish_rerate")
    with pytest.raises(NotAllowed):
        require_permission(user, "ratings.publish_rerate")
