"""URLs of pages about members, for members and for the office."""

from django.urls import include, path

from players.account import urls as account
from players.claims import urls as claims
from players.external import urls as external
from players.fide import urls as fide
from players.guardians import urls as guardians
from players.identity import urls as identity
from players.imports import urls as intake
from players.members import urls as members
from players.privacy import urls as privacy
from players.sharing import urls as sharing

for_members = [
    *members.urlpatterns,
    *fide.urlpatterns,
    *guardians.urlpatterns,
    *claims.urlpatterns,
    *sharing.urlpatterns,
]
for_office = [
    *fide.office,
    *external.office,
    *identity.office,
    *intake.office,
    *members.office,
    *claims.office,
    *privacy.office,
    *account.office,
]

urlpatterns = [
    path("players/", include((for_members, "players"))),
    path("office/", include((for_office, "players_office"))),
]
