"""Games as four programs write them, made up by hand."""

CHESSBASE = """\
[Event "May Open"]
[Site "Oakland, CA USA"]
[Date "2024.05.04"]
[Round "1.1"]
[White "Poe, Ann"]
[Black "Doe, Bob"]
[Result "1-0"]
[ECO "C60"]
[WhiteElo "2010"]
[BlackElo "1850"]
[WhiteUSCF "12345671"]
[BlackUSCF "12345672"]
[WhiteFideId "2012345"]
[WhiteTeam "Oakland"]
[EventDate "2024.05.04"]
[EventRounds "2"]
[TimeControl "5400+30"]

1. e4 {[%clk 1:30:25] King's pawn.} e5 2. Nf3 $1 (2. f4 {the gambit
[Result "0-1"]
is no tag} exf4) 2... Nc6 {Black resigns} 1-0

[Event "May Open"]
[Site "Oakland, CA USA"]
[Date "2024.05.04"]
[Round "1.2"]
[White "Roe, Cid"]
[Black "Loe, \\"Didi\\""]
[Result "1/2-1/2"]
[WhiteUSCF "12345673"]
[BlackUSCF "12345674"]
[TimeControl "5400+30"]

1/2-1/2

[Event "May Open"]
[Site "Oakland, CA USA"]
[Date "2024.05.05"]
[Round "2.1"]
[White "Roe, Cid"]
[Black "Poe, Ann"]
[Result "0-1"]
[WhiteUSCF "12345673"]
[BlackUSCF "12345671"]
[TimeControl "5400+30"]

1. d4 d5 0-1
"""

DGT_ROUND = """\
[Event "Club Championship"]
[Site "?"]
[Date "2024.06.0{round}"]
[Round "{round}.1"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[Board "1"]

1. e4 {{[%clk 1:29:50]}} 1... c5 {{[%clk 1:29:41]}} {result}
"""

LICHESS = """\
[Event "Hourly Blitz Arena"]
[Site "https://lichess.org/{game}"]
[Date "2024.06.08"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[GameId "{game}"]
[UTCDate "2024.06.08"]
[UTCTime "{time}"]
[WhiteElo "1500"]
[BlackElo "1600"]
[Variant "Standard"]
[TimeControl "300+3"]
[ECO "?"]
[Termination "{termination}"]

1. e4 {{ [%clk 0:05:00] }} 1... e5 {{ [%clk 0:05:00] }} {result}


"""

CHESS_COM = """\
[Event "Live Chess"]
[Site "Chess.com"]
[Date "2024.06.0{day}"]
[Round "-"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[TimeControl "600"]
[UTCDate "2024.06.0{day}"]
[UTCTime "18:00:00"]
[Termination "{white} won by resignation"]
[Link "https://www.chess.com/game/live/{day}"]

1. e4 {{[%clk 0:09:59]}} 1... e5 {{[%clk 0:09:58]}} {result}
"""


def game(moves: str = "", /, **changes: str) -> str:
    """Return a game with the tags of the roster, some of them changed or added."""
    tags = {
        "Event": "May Open",
        "Site": "Oakland, CA USA",
        "Date": "2024.05.04",
        "Round": "1",
        "White": "Poe, Ann",
        "Black": "Doe, Bob",
        "Result": "1-0",
        **changes,
    }
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    ending = moves or f"1. e4 e5 {tags['Result']}"
    return "\n".join([*lines, "", ending, "", ""])
