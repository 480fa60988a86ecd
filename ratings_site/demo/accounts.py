"""The accounts of the demo federation, which ``make run`` prints."""

from typing import NamedTuple


class DemoAccount(NamedTuple):
    username: str
    password: str
    member_id: str
    what: str


DEMO_ACCOUNTS = (
    DemoAccount("staff", "demo-staff", "", "ratings-office staff"),
    DemoAccount("td", "demo-td", "12000001", "tournament director"),
    DemoAccount("member", "demo-member", "12000002", "member"),
    DemoAccount("admin", "demo-admin", "", "superuser"),
)
