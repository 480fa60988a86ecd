"""Files of a made-up federation that moves in."""

import random
from datetime import date, timedelta
from pathlib import Path

from django.utils import timezone

from ratings_site.demo.names import name_of

FIRST_ID = 20_000_000
SYSTEMS = ("OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB")
AFFILIATE = "A6000001"


def member_id(number: int) -> str:
    return str(FIRST_ID + number)


def write_members(path: Path, members: int) -> None:
    chance = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        file.write("USCF ID,Last Name,First Name,DOB,State,Type,Start,Expires\n")
        for number in range(members):
            given, family = name_of(number)
            born = date(1950, 1, 1) + timedelta(days=chance.randrange(25_000))
            until = timezone.localdate() + timedelta(days=300)
            file.write(
                f"{member_id(number)},{family},{given},{born:%m/%d/%Y},TX,Regular,"
                f"2020-01-01,{until}\n"
            )


def write_ratings(path: Path, members: int) -> dict[tuple[str, str], float]:
    """Write ratings of every second member and return the rows."""
    chance = random.Random(8)
    said = {}
    with path.open("w", encoding="utf-8") as file:
        file.write("Member ID,System,Rating,Games,Date,Peak,Floor\n")
        for number in range(0, members, 2):
            for system in SYSTEMS[: 1 + number % 6]:
                rating = round(chance.uniform(400, 2400), 6)
                said[member_id(number), system] = rating
                games = chance.randrange(26, 400)
                floor = 100 if number == 0 else ""
                file.write(
                    f"{member_id(number)},{system},{rating},{games},2025-12-14,"
                    f"{rating + 50},{floor}\n"
                )
    return said


def write_affiliate(path: Path) -> None:
    path.write_text(
        "Affiliate ID,Name,State,Expires\n"
        f"{AFFILIATE},Streslau Chess Club,TX,2099-12-31\n",
        encoding="utf-8",
    )


def write_director(path: Path, director: str) -> None:
    path.write_text(
        "Member ID,Level,Certified until,Affiliates\n"
        f"{director},local,2099-12-31,{AFFILIATE}\n",
        encoding="utf-8",
    )
