"""Made-up FIDE lists in the layouts that FIDE uses."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PEOPLE = (
    "ID Number      Name                                                         "
    "Fed Sex Tit  WTit OTit           "
)
COMBINED = PEOPLE + "FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
LEGACY = PEOPLE + "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
STANDARD = PEOPLE + "FOA MAY24 Gms K  B-day Flag"


@dataclass(frozen=True)
class Person:
    """A line of a list, as the texts in it."""

    fide_id: int
    name: str = "Noether, Emmy"
    rating: int = 2100
    games: int = 0
    k: int = 20
    fed: str = "USA"
    sex: str = "F"
    title: str = ""
    women_title: str = ""
    other_titles: str = ""
    year: int = 1982
    flag: str = ""
    rapid: int = 0
    blitz: int = 0


def line(person: Person, header: str = COMBINED) -> str:
    """Write one line below *header*, padded to its width."""
    values = {
        "ID Number": person.fide_id,
        "Name": person.name,
        "Fed": person.fed,
        "Sex": person.sex,
        "Tit": person.title,
        "WTit": person.women_title,
        "OTit": person.other_titles,
        "SRtng": person.rating,
        "MAY24": person.rating,
        "SGm": person.games,
        "Gms": person.games,
        "SK": person.k,
        "K ": person.k,
        "RRtng": person.rapid,
        "RGm": 0,
        "Rk": 20,
        "BRtng": person.blitz,
        "BGm": 0,
        "BK": 20,
        "B-day": person.year,
        "Flag": person.flag,
    }
    cells = [" "] * len(header)
    for name, value in values.items():
        start = f" {header} ".find(f" {name}")
        if start >= 0:
            text = str(value)
            cells[start : start + len(text)] = text
    return "".join(cells)


def text_list(people: Iterable[Person], header: str = COMBINED) -> bytes:
    lines = [header, *(line(person, header) for person in people)]
    return "".join(f"{one}\r\n" for one in lines).encode("latin-1")


def xml_list(people: Iterable[Person]) -> bytes:
    players = "".join(
        f"<player>\n<fideid>{one.fide_id}</fideid>\n<name>{one.name}</name>\n"
        f"<country>{one.fed}</country>\n<sex>{one.sex}</sex>\n"
        f"<title>{one.title}</title>\n<w_title>{one.women_title}</w_title>\n"
        f"<o_title>{one.other_titles}</o_title>\n<foa_title></foa_title>\n"
        f"<rating>{one.rating}</rating>\n<games>{one.games}</games>\n<k>{one.k}</k>\n"
        f"<rapid_rating>{one.rapid}</rapid_rating>\n<rapid_games>0</rapid_games>\n"
        f"<rapid_k>20</rapid_k>\n<blitz_rating>{one.blitz}</blitz_rating>\n"
        "<blitz_games>0</blitz_games>\n<blitz_k>20</blitz_k>\n"
        f"<birthday>{one.year}</birthday>\n<flag>{one.flag}</flag>\n</player>\n"
        for one in people
    )
    return f"<playerslist>\n{players}</playerslist>\n".encode()


def packed(data: bytes, name: str = "players_list_foa.txt") -> bytes:
    return archive([(name, data)])


def archive(files: Sequence[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files:
            made.writestr(name, data)
    return buffer.getvalue()
