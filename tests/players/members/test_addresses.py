"""Member IDs in URLs: eight digits, and nothing else matches."""

import pytest
from django.urls import NoReverseMatch, Resolver404, resolve, reverse


@pytest.mark.parametrize(
    "address",
    [
        "/players/{}/",
        "/players/12345678/against/{}/",
        "/tds/{}/",
        "/office/links/{}/",
        "/office/duplicates/12345678/{}/",
        "/office/members/{}/status/",
        "/events/202401010001/1/why/{}/OTBR/",
    ],
)
@pytest.mark.parametrize(
    "member_id", ["1234567", "123456789", "1234567x", "١٢٣٤٥٦٧٨", "12345678\x00"]
)
def test_what_is_no_member_id_has_no_address(address, member_id):
    resolve(address.format("12345678"))
    with pytest.raises(Resolver404):
        resolve(address.format(member_id))


def test_only_member_ids_make_addresses():
    assert reverse("ratings:profile", args=["12345678"]) == "/players/12345678/"
    with pytest.raises(NoReverseMatch):
        reverse("ratings:profile", args=["Ada"])
