"""Reading FIDE's lists, complete and damaged ones."""

from datetime import date

import pytest

from players.formats import fide_list
from players.formats.fide_list import open_list
from players.formats.fide_rows import FideRow, Problem
from tests.players.fide.fide_files import (
    COMBINED,
    LEGACY,
    STANDARD,
    Person,
    archive,
    line,
    packed,
    text_list,
    xml_list,
)

EMMY = Person(30900001, rating=2104, games=9, k=20, title="WFM", rapid=2050, blitz=2000)
OLGA = Person(
    4100018,
    "Ladyzhenskaya, Olga",
    rating=0,
    k=0,
    fed="FID",
    women_title="WGM",
    year=0,
    flag="wi",
)
# The contents of the lists above.
EMMY_ROW = FideRow(
    30900001, "Noether, Emmy", "USA", "F", "WFM", 1982, False, 2104, 9, 20, 2050, 0,
    2000, 0,
)  # fmt: skip
OLGA_ROW = FideRow(
    4100018, "Ladyzhenskaya, Olga", "FID", "F", "WGM", None, True, None, 0, None, None,
    0, None, 0,
)  # fmt: skip


def read(tmp_path, data: bytes) -> list[FideRow | Problem]:
    path = tmp_path / "list"
    path.write_bytes(data)
    with open_list(path) as (reader, _size):
        if reader.problem is not None:
            return [reader.problem]
        return list(reader.read())


@pytest.mark.parametrize(
    "data",
    [
        text_list([EMMY, OLGA]),
        text_list([EMMY, OLGA], LEGACY),
        xml_list([EMMY, OLGA]),
        packed(text_list([EMMY, OLGA])),
        packed(xml_list([EMMY, OLGA]), "players_list_xml_foa.xml"),
        b"\xef\xbb\xbf" + text_list([EMMY, OLGA]),
        text_list([EMMY, OLGA]).replace(b"\r\n", b"\n"),
        text_list([EMMY, OLGA]) + b"\x1a",
    ],
    ids=["text", "legacy", "xml", "zip", "zip of xml", "bom", "unix", "end mark"],
)
def test_a_list_reads_the_same_in_every_form(tmp_path, data):
    assert read(tmp_path, data) == [EMMY_ROW, OLGA_ROW]


def test_list_of_one_kind_names_its_month(tmp_path):
    path = tmp_path / "list"
    path.write_bytes(text_list([EMMY], STANDARD))
    with open_list(path) as (reader, size):
        assert (reader.month, reader.layout) == (date(2024, 5, 1), "one kind")
        assert list(reader.read()) == [EMMY_ROW._replace(rapid=None, blitz=None)]
        assert reader.bytes_read == size


def test_lines_need_not_be_padded(tmp_path):
    lines = [line(EMMY), line(OLGA)]
    data = "\r\n".join([COMBINED, *(one.rstrip() for one in lines)]).encode()
    assert read(tmp_path, data) == [EMMY_ROW, OLGA_ROW]


def test_too_many_titles_push_the_rest_of_the_line(tmp_path):
    person = Person(**{**EMMY.__dict__, "other_titles": "SI,FI,LSI,SLI,N"})
    text = line(person)
    titles = text.index("SI,FI")
    pushed = f"{text[: titles + 15]}A{text[titles + 15 :]}"
    data = f"{COMBINED}\r\n{pushed}\r\n".encode()
    assert read(tmp_path, data) == [EMMY_ROW]


def test_names_in_utf_8_and_latin_1_are_read(tmp_path):
    def named(raw: bytes) -> list:
        data = text_list([Person(1, "@@@@@@@@@")]).replace(b"@" * 9, raw.ljust(9))
        return [row.name for row in read(tmp_path, data)]

    assert named("Nuñez, A".encode()) == ["Nuñez, A"]
    assert named("Nuñez, A".encode("latin-1")) == ["Nuñez, A"]


def test_columns_may_be_counted_in_letters(tmp_path):
    text = text_list([Person(1, "Nuñez, Añita", 2000), EMMY]).decode("latin-1")
    first, second = read(tmp_path, text.encode())
    assert (first.name, first.rating) == ("Nuñez, Añita", 2000)
    assert second == EMMY_ROW


def test_unknown_columns_are_refused(tmp_path):
    [problem] = read(tmp_path, text_list([EMMY], COMBINED.replace("SGm", "Sum")))
    assert problem.final
    assert problem.place == "Line 1, byte 0"
    assert problem.text.startswith(
        "The first line has no columns of a FIDE list: ID Number"
    )


@pytest.mark.parametrize("data", [b"", b"\x00\xff" * 5000, b"name;rating\nA;1\n"])
def test_what_is_no_list_is_refused(tmp_path, data):
    [problem] = read(tmp_path, data)
    assert problem.final
    assert "has no columns of a FIDE list" in problem.text


def test_shifted_columns_say_line_and_byte(tmp_path):
    good, bad = line(EMMY), line(OLGA)
    shifted = bad[:76] + "   " + bad[76:]
    data = "".join(f"{one}\r\n" for one in (COMBINED, good, shifted, good)).encode()
    first, problem, last = read(tmp_path, data)
    assert (first, last) == (EMMY_ROW, EMMY_ROW)
    assert problem == Problem(
        "The federation “{written}” isn’t three letters.",
        "Compare its columns with the first line.",
        line=3,
        byte=len(COMBINED) + len(good) + 4,
        values={"written": "F"},
    )


def test_header_of_another_layout_makes_every_line_unreadable(tmp_path):
    data = text_list([EMMY, OLGA]).replace(COMBINED.encode(), LEGACY.encode())
    found = read(tmp_path, data)
    assert [type(one) for one in found] == [Problem, Problem]


@pytest.mark.parametrize("missing", [3, 20, 60, 120])
def test_text_cut_off_says_where_it_ends(tmp_path, missing):
    data = text_list([EMMY, OLGA])[:-missing]
    first, problem = read(tmp_path, data)
    assert first == EMMY_ROW
    assert problem.final
    assert problem.text == "The file ends in the middle of this line."
    assert (problem.line, problem.byte) == (3, len(COMBINED) + 2 + len(line(EMMY)) + 2)


def test_xml_cut_off_says_where_it_ends(tmp_path):
    data = xml_list([EMMY, OLGA])
    data = data[: data.index(b"<rating>0</rating>")]
    *rows, problem = read(tmp_path, data)
    assert rows == [EMMY_ROW]
    assert problem.final
    assert problem.text == "The end of the file is missing."
    assert (problem.line, problem.byte) == (32, len(data))


def test_broken_xml_says_where(tmp_path):
    data = xml_list([EMMY, OLGA]).replace(b"<rating>0</rating>", b"<rating>0</rat>")
    *rows, problem = read(tmp_path, data)
    assert rows == [EMMY_ROW]
    assert (problem.text, problem.line) == ("The XML is damaged.", 32)


@pytest.mark.parametrize("encoding", [b"x-none", b"utf-7", b"idna", b"rot13"])
def test_unknown_encoding_is_reported(tmp_path, encoding):
    declared = b'<?xml version="1.0" encoding="%s"?>\n' % encoding
    (problem,) = read(tmp_path, declared + xml_list([EMMY]))
    assert problem.final
    assert problem.text == "We can’t read the file’s encoding."


@pytest.mark.parametrize(
    "beginning",
    [
        b'<!DOCTYPE playerslist [<!ENTITY a "aaaa">]>',
        b'<!DOCTYPE playerslist SYSTEM "file:///etc/passwd">',
        b'<?xml version="1.0"?>\n<!DOCTYPE playerslist>',
    ],
)
def test_documents_with_declarations_are_refused(tmp_path, beginning):
    [problem] = read(tmp_path, beginning + xml_list([EMMY]))
    assert problem.final
    assert problem.text == "The file isn’t one of FIDE’s lists."


def test_other_xml_is_refused(tmp_path):
    [problem] = read(tmp_path, b"<html><body/></html>")
    assert problem.text == "The file isn’t one of FIDE’s lists."


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_archive_cut_off_is_refused(tmp_path, share):
    data = packed(text_list([EMMY] * 500))
    [problem] = read(tmp_path, data[: int(len(data) * share)])
    assert problem.final
    assert problem.text.startswith("The ZIP file is damaged: ")


def test_damage_inside_an_archive_is_found(tmp_path):
    people = [Person(number, rating=1000 + number % 997) for number in range(1, 30000)]
    data = bytearray(packed(text_list(people)))
    data[len(data) // 2] ^= 0xFF
    found = read(tmp_path, bytes(data))
    assert found[-1].final
    assert found[-1].text.startswith("The ZIP file is damaged: ")


def test_archives_hold_one_list(tmp_path):
    both = archive([("a.txt", text_list([EMMY])), ("b.txt", text_list([OLGA]))])
    [problem] = read(tmp_path, both)
    assert problem.text == "The ZIP file has 2 files. FIDE’s ZIP files have one."


def test_rapid_and_blitz_lists_are_refused(tmp_path):
    data = packed(text_list([EMMY], STANDARD), "rapid_rating_list.txt")
    [problem] = read(tmp_path, data)
    assert problem.text.endswith("has rapid or blitz ratings. We use standard ratings.")


def test_archive_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(fide_list, "MAX_BYTES", 1_000_000)
    [problem] = read(tmp_path, packed(text_list([EMMY] * 10_000)))
    assert problem.text.endswith("FIDE’s have at most 1,000,000.")
    # An archive with a false size is not read past the declared size.
    monkeypatch.setattr(fide_list, "MAX_BYTES", 10_000_000)
    data = packed(text_list([EMMY] * 10_000))
    size = len(text_list([EMMY] * 10_000)).to_bytes(4, "little")
    found = read(tmp_path, data.replace(size, (5000).to_bytes(4, "little")))
    assert found[-1].final
    assert len(found) < 50


def test_line_without_an_end_does_not_fill_the_memory(tmp_path):
    data = text_list([EMMY]) + b"x" * 5_000_000
    *rows, problem = read(tmp_path, data)
    assert rows == [EMMY_ROW]
    assert problem.text == "The line is longer than any line of a FIDE list."
    assert problem.line == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"fide_id": "12x"}, "The FIDE ID “12x” isn’t a number."),
        ({"rating": 9999}, "“9999” isn’t a rating, a year, or a number of games."),
        ({"sex": "X"}, "The sex “X” isn’t M or F."),
        ({"flag": "q"}, "The flag “q” is unknown."),
        ({"fed": "U1A"}, "The federation “U1A” isn’t three letters."),
        ({"year": "19x2"}, "“19x2” isn’t a rating, a year, or a number of games."),
    ],
)
def test_fields_that_make_no_sense_are_named(tmp_path, change, sentence):
    person = Person(**{**EMMY.__dict__, **change})
    for data in (text_list([person]), xml_list([person])):
        [found] = read(tmp_path, data)
        assert found.text == sentence
