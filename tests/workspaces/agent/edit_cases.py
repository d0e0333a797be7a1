"""The corpus of edits: what a file was, what was asked, and what must come out or be answered."""

from __future__ import annotations

from dataclasses import dataclass

from perdure.workspaces.agent.edits import Edit


@dataclass(frozen=True, slots=True)
class Case:
    """One edit of one file; exactly one of `after` and `refusal` is set."""

    name: str
    before: str | bytes
    edits: tuple[Edit, ...]
    after: str | bytes | None = None
    refusal: str | None = None


def makes(name: str, before: str | bytes, old: str, new: str, after: str | bytes, *, everywhere: bool = False) -> Case:
    return Case(name, before, (Edit(old, new, everywhere),), after=after)


def refuses(name: str, before: str | bytes, old: str, new: str, why: str, *, everywhere: bool = False) -> Case:
    return Case(name, before, (Edit(old, new, everywhere),), refusal=why)


def chain(
    name: str, before: str, edits: list[tuple[str, str]], after: str | None = None, why: str | None = None
) -> Case:
    return Case(name, before, tuple(Edit(old, new) for old, new in edits), after=after, refusal=why)


EXACT = [
    makes("one word", "alpha beta\n", "beta", "gamma", "alpha gamma\n"),
    makes("one line", "a\nb\nc\n", "b\n", "B\n", "a\nB\nc\n"),
    makes("several lines", "a\nb\nc\nd\n", "b\nc\n", "x\ny\nz\n", "a\nx\ny\nz\nd\n"),
    makes("the first line", "a\nb\n", "a\n", "A\n", "A\nb\n"),
    makes("the last line", "a\nb\n", "b\n", "B\n", "a\nB\n"),
    makes("the whole file", "a\nb\n", "a\nb\n", "c\n", "c\n"),
    makes("deleting a line", "a\nb\nc\n", "b\n", "", "a\nc\n"),
    makes("deleting everything", "a\n", "a\n", "", ""),
    makes("part of a line", "x = foo(1)\n", "foo(1)", "bar(2)", "x = bar(2)\n"),
    makes("across a line end", "ab\ncd\n", "b\nc", "b c", "ab cd\n"),
    makes("regex characters are plain", "a.*b (c) [d]\n", ".*b (c) [", "+b {c} <", "a+b {c} <d]\n"),
    makes("backslashes are plain", "p = 'C:\\\\new'\n", "C:\\\\new", "D:\\\\old", "p = 'D:\\\\old'\n"),
    makes("group references are plain", "x\n", "x", r"\1\g<0>", "\\1\\g<0>\n"),
    makes("an exact hit beats a tolerant one", "  a\na\n", "\na\n", "\nb\n", "  a\nb\n"),
    makes("exact indentation wins over a looser line", "\tfoo\n\nfoo\n", "\nfoo\n", "\nbar\n", "\tfoo\n\nbar\n"),
    makes("only blanks, exactly", "a\n \nb\n", "\n \n", "\n\n", "a\n\nb\n"),
    makes("a blank line taken out", "a\n\nb\n", "a\n\nb", "a\nb", "a\nb\n"),
    makes("tabs to spaces when exact", "\tx\n", "\tx\n", "    x\n", "    x\n"),
    makes("a lone carriage return is content", "a\rb\n", "a\rb", "c", "c\n"),
    makes("a form feed is content", "a\x0cb\nc\n", "\x0cb\nc", "d", "ad\n"),
    makes("line separators of Unicode are content", "a\u2028b\n", "\u2028", "-", "a-b\n"),
]

ENDINGS = [
    makes("CRLF kept when both say LF", "a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\n", "a\r\nB\r\nc\r\n"),
    makes("CRLF exact", "a\r\nb\r\n", "a\r\n", "x\r\n", "x\r\nb\r\n"),
    makes("CRLF to LF when asked exactly", "a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n"),
    makes("LF to CRLF when asked exactly", "a\nb\n", "a\n", "a\r\n", "a\r\nb\n"),
    refuses("different endings never match loosely", "a  \r\nb\r\n", "a\r\nb\r\n", "a\nb\n", "old_text was not found"),
    makes("inserted lines take the dominant CRLF", "a\r\nb\r\n", "a\nb\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"),
    makes("inserted lines take the dominant LF", "a\nb  \nc\r\n", "a\nb\n", "a\nx\nb\n", "a\nx\nb  \nc\r\n"),
    makes("a tie is LF", "a\r\nb \n", "a\nb\n", "a\nx\nb\n", "a\r\nx\nb \n"),
    makes("one word made two lines in a CRLF file", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"),
    makes("one word made two lines in an LF file", "a\nb\n", "b", "b\nc", "a\nb\nc\n"),
    makes("CRLF text against an LF file", "a\nb\nc\n", "a\r\nb\r\n", "a\r\nB\r\n", "a\nB\nc\n"),
    makes("deleting a line of a CRLF file", "a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n"),
    makes("mixed endings keep their own", "a\r\nb\nc\r\n", "a\nb\nc\n", "a\nB\nc\n", "a\r\nB\nc\r\n"),
    makes("CRLF with trailing blanks", "a \r\nb\r\n", "a\nb\n", "A\nb\n", "A \r\nb\r\n"),
    makes("no ending in either text of a CRLF file", "a\r\nb\r\nc\r\n", "a\nb", "a\nB", "a\r\nB\r\nc\r\n"),
    makes("an LF dominant file with one CRLF line", "a\nb\r\nc\nd\n", "b\nc\n", "b\nx\nc\n", "a\nb\r\nx\nc\nd\n"),
]

FINAL_NEWLINE = [
    makes("no final newline is invented", "a\nb", "b", "c", "a\nc"),
    makes("old text ends with a newline the file lacks", "a\nb", "b\n", "c\n", "a\nc"),
    makes("both lines quoted, file lacks the last newline", "a\nb", "a\nb\n", "a\nc\n", "a\nc"),
    makes("lines added after an open end", "a\nb", "b\n", "b\nc\n", "a\nb\nc"),
    makes("lines added before an open end", "a\nb", "b\n", "x\nb\n", "a\nx\nb"),
    makes("a final newline added on purpose", "a\nb", "b", "b\n", "a\nb\n"),
    makes("a final newline removed on purpose", "a\nb\n", "b\n", "b", "a\nb"),
    makes("the open end deleted", "a\nb", "b\n", "", "a\n"),
    makes("open CRLF end", "a\r\nb", "a\nb\n", "a\nc\n", "a\r\nc"),
    makes("open CRLF end with a line added", "a\r\nb", "a\nb\n", "a\nb\nc\n", "a\r\nb\r\nc"),
    makes("a file of one open line", "only", "only", "other", "other"),
    makes("an open line with trailing blanks", "a\nb  ", "a\nb\n", "a\nc\n", "a\nc  "),
]

TRAILING = [
    makes("trailing blanks in the file", "a  \nb\n", "a\nb\n", "a\nB\n", "a  \nB\n"),
    makes("trailing blanks in old text", "a\nb\n", "a  \nb\n", "A  \nb\n", "A\nb\n"),
    makes("trailing tab in the file", "a\t\nb\n", "a\nb\n", "A\nb\n", "A\t\nb\n"),
    makes("trailing blanks removed on purpose", "a  \nb \n", "a  \nb\n", "a\nb\n", "a\nb \n"),
    makes("trailing blanks added on purpose", "a\nb \n", "a\nb\n", "a  \nb\n", "a  \nb \n"),
    makes("a blank line that holds blanks", "a\n   \nb\n", "a\n\nb\n", "a\n\nc\n", "a\n   \nc\n"),
    makes("blanks in old text's empty line", "a\n\nb\n", "a\n  \nb\n", "a\n  \nc\n", "a\n\nc\n"),
    makes("the last old line without an ending", "a \nb \nc\n", "a\nb", "a\nB", "a \nB \nc\n"),
    makes("trailing drift on every line", "a \nb  \nc\t\n", "a\nb\nc\n", "a\nx\nc\n", "a \nx  \nc\t\n"),
    makes("a line deleted between drifted ones", "a \nb \nc \n", "a\nb\nc\n", "a\nc\n", "a \nc \n"),
    makes("a line inserted between drifted ones", "a \nb \n", "a\nb\n", "a\nx\nb\n", "a \nx\nb \n"),
    makes("indentation still counts in this pass", "  a \n a\nb\n", " a \nb\n", " A \nb\n", "  a \n A\nb\n"),
]

INDENTATION = [
    makes(
        "tabs in the file, spaces quoted",
        "\tx = 1\n\ty = 2\n",
        "    x = 1\n    y = 2\n",
        "    x = 1\n    y = 3\n",
        "\tx = 1\n\ty = 3\n",
    ),
    makes("spaces in the file, tabs quoted", "    x\n    y\n", "\tx\n\ty\n", "\tx\n\tz\n", "    x\n    z\n"),
    makes(
        "two levels of tabs",
        "if a:\n\tif b:\n\t\tc()\n",
        "if a:\n    if b:\n        c()\n",
        "if a:\n    if b:\n        d()\n",
        "if a:\n\tif b:\n\t\td()\n",
    ),
    makes(
        "dedented quotation", "def f():\n    a()\n    b()\n", "a()\nb()\n", "a()\nc()\n", "def f():\n    a()\n    c()\n"
    ),
    makes(
        "dedented quotation with an inserted line",
        "def f():\n    a()\n    b()\n",
        "a()\nb()\n",
        "a()\nx()\nb()\n",
        "def f():\n    a()\n    x()\n    b()\n",
    ),
    makes(
        "dedented quotation with a nested insertion",
        "class A:\n    def f(self):\n        a()\n",
        "def f(self):\n    a()\n",
        "def f(self):\n    if x:\n        b()\n    a()\n",
        "class A:\n    def f(self):\n        if x:\n            b()\n        a()\n",
    ),
    makes(
        "insertion into a tab file by spaces",
        "def f():\n\ta()\n\tb()\n",
        "    a()\n    b()\n",
        "    a()\n    if x:\n        y()\n    b()\n",
        "def f():\n\ta()\n\tif x:\n\t\ty()\n\tb()\n",
    ),
    makes(
        "insertion into a space file by tabs",
        "def f():\n    a()\n    b()\n",
        "\ta()\n\tb()\n",
        "\ta()\n\tif x:\n\t\ty()\n\tb()\n",
        "def f():\n    a()\n    if x:\n        y()\n    b()\n",
    ),
    makes(
        "two-space file, four quoted",
        "f:\n  a: 1\n  b:\n    c: 2\n",
        "    a: 1\n    b:\n        c: 2\n",
        "    a: 1\n    b:\n        c: 3\n",
        "f:\n  a: 1\n  b:\n    c: 3\n",
    ),
    makes(
        "two-space file, four inserted",
        "f:\n  a: 1\n  b:\n    c: 2\n",
        "    b:\n        c: 2\n",
        "    b:\n        c: 2\n        d: 4\n",
        "f:\n  a: 1\n  b:\n    c: 2\n    d: 4\n",
    ),
    makes("overindented quotation", "a()\nb()\n", "    a()\n    b()\n", "    a()\n    c()\n", "a()\nc()\n"),
    makes(
        "the deepest level out by one",
        "if a:\n      b()\n",
        "if a:\n    b()\n",
        "if a:\n    c()\n",
        "if a:\n      c()\n",
    ),
    makes(
        "reindented on purpose, no drift",
        "a()  \nb()\n",
        "a()\nb()\n",
        "if x:\n    a()\nb()\n",
        "if x:\n    a()  \nb()\n",
    ),
    makes(
        "wrapping a drifted block",
        "\ta()\n\tb()\nc:\n\td\n",
        "    a()\n    b()\n",
        "    if x:\n        a()\n    b()\n",
        "\tif x:\n\t\ta()\n\tb()\nc:\n\td\n",
    ),
    makes(
        "surrounding blanks of one line", "   key = value   \n", "key = value\n", "key = other\n", "   key = other   \n"
    ),
    makes(
        "an inserted blank line stays empty", "\ta()\n\tb()\n", "  a()\n  b()\n", "  a()\n\n  b()\n", "\ta()\n\n\tb()\n"
    ),
    makes(
        "a deleted line of a drifted block",
        "\ta()\n\tb()\n\tc()\n",
        "  a()\n  b()\n  c()\n",
        "  a()\n  c()\n",
        "\ta()\n\tc()\n",
    ),
    makes(
        "a Makefile keeps its tab",
        "all:\n\techo one\n",
        "all:\n    echo one\n",
        "all:\n    echo two\n",
        "all:\n\techo two\n",
    ),
    makes(
        "a Makefile gets a tab for a new line",
        "all:\n\techo one\n",
        "all:\n    echo one\n",
        "all:\n    echo one\n    echo two\n",
        "all:\n\techo one\n\techo two\n",
    ),
    makes(
        "the first line quoted from its middle column", "    a\n    b\n", "a\n    b\n", "a\n    c\n", "    a\n    c\n"
    ),
]

REPEATED = [
    refuses("two exact hits", "a\na\n", "a", "b", "occurs 2 times"),
    refuses("overlapping hits are two", "aaa\n", "aa", "b", "occurs 2 times"),
    refuses("three tolerant hits", " a\nx\n a\ny\n a\n", "\ta\n", "\tb\n", "occurs 3 times"),
    refuses("two trailing-blank hits", "a \nb\na \nb\n", "a\nb\n", "c\n", "occurs 2 times"),
    makes("everywhere, exact", "a b a\na\n", "a", "c", "c b c\nc\n", everywhere=True),
    makes("everywhere, overlapping from the left", "aaaa\n", "aa", "b", "bb\n", everywhere=True),
    makes("everywhere, tolerant", "\ta\nx\n  a\n", "    a\n", "    b\n", "\tb\nx\n  b\n", everywhere=True),
    makes("everywhere, tolerant over neighbours", "a \na \na \n", "a\na\n", "b\nb\n", "b \nb \na \n", everywhere=True),
    makes("everywhere with one hit", "a\n", "a", "b", "b\n", everywhere=True),
    makes("everywhere, deletion", "x,y,z\n", ",", "", "xyz\n", everywhere=True),
    makes("everywhere, new contains old", "a\n", "a", "aa", "aa\n", everywhere=True),
    refuses("everywhere without a hit", "b\n", "zzz", "y", "not found", everywhere=True),
    makes("a neighbour makes it unique", "f()\na\nf()\nb\n", "f()\nb\n", "g()\nb\n", "f()\na\ng()\nb\n"),
]

SEQUENCES = [
    chain("later edits see earlier ones", "a\n", [("a", "b"), ("b", "c")], "c\n"),
    chain("two independent edits", "a\nb\nc\n", [("a", "A"), ("c", "C")], "A\nb\nC\n"),
    chain("an edit of what was inserted", "a\n", [("a\n", "a\nb\n"), ("b\n", "c\n")], "a\nc\n"),
    chain(
        "an overlap with an earlier edit is not found",
        "one two three\n",
        [("one two", "1 2"), ("two three", "x")],
        why="edit 2 of 2: old_text was not found",
    ),
    chain("the first of three fails", "a\n", [("z", "y"), ("a", "b"), ("b", "c")], why="edit 1 of 3"),
    chain(
        "an edit makes the next ambiguous",
        "a\nb\n",
        [("b", "a"), ("a", "c")],
        why="edit 2 of 2: old_text occurs 2 times",
    ),
    chain("back and forth", "a\n", [("a", "b"), ("b", "a")], "a\n"),
]

UNICODE = [
    makes("accents", "café\n", "café", "thé", "thé\n"),
    makes("emoji", "ok 👍🏽\n", "👍🏽", "🎉", "ok 🎉\n"),
    makes("Chinese", "你好,世界\n", "世界", "朋友", "你好,朋友\n"),
    makes("right to left", "שלום עולם\n", "עולם", "לכולם", "שלום לכולם\n"),
    refuses("composed is not decomposed", "cafe\u0301 noir\n", "caf\u00e9 noir", "x", "closest line"),
    makes("a no-break space is not a blank", "a\u00a0\nb\n", "a\u00a0\nb", "c", "c\n"),
    makes("a byte order mark stays", "\ufeffa\nb\n", "a\n", "c\n", "\ufeffc\nb\n"),
    makes("a byte order mark with a tolerant match", "\ufeffa \nb\n", "a\nb\n", "a\nc\n", "\ufeffa \nc\n"),
    makes("bytes that are not UTF-8 stay", b"caf\xe9\nb\n", "b\n", "c\n", b"caf\xe9\nc\n"),
    makes("bytes that are not UTF-8 in a tolerant match", b"\xff\xfe\n a \n", "a\n", "b\n", b"\xff\xfe\n b \n"),
    makes("zero width characters count", "a\u200bb\n", "a\u200bb", "ab", "ab\n"),
    refuses("a lone surrogate cannot be written", "a\n", "a", "\ud800", "cannot be written as UTF-8"),
]

REFUSALS = [
    refuses("an empty old text", "a\n", "", "b", "old_text is empty"),
    refuses("an empty old text in an empty file", "", "", "b", "use write_file"),
    refuses("nothing would change", "a\n", "a", "a", "nothing would change"),
    refuses("an empty file", "", "a", "b", "old_text was not found"),
    refuses(
        "spacing inside a line",
        "x  =  foo( 1 )\n",
        "x = foo(1)",
        "y",
        "in its spacing or line breaks here, copy it from line 1",
    ),
    refuses(
        "a line broken elsewhere",
        "foo(a,\n    b)\n",
        "foo(a, b)",
        "bar()",
        "copy it from line 1:\n1\tfoo(a,\n2\t    b)",
    ),
    refuses("a repeated character", "# =====\nx\n", "# =======", "#", "how often a character is repeated"),
    refuses("old and new swapped", "return new_value\n", "totally different", "return new_value", "swapped"),
    refuses(
        "a typing mistake",
        "def compute_total(items):\n",
        "def compute_totl(items):",
        "x",
        "closest line is line 1:\n1\tdef compute",
    ),
    refuses("a longer rule is no spacing", "Title\n=====\n", "Title\n===\n", "x", "how often a character is repeated"),
    refuses("a longer rule and spacing", "# =====\nx\n", "#   ===\n", "x", "repeated, and in its spacing"),
    refuses("upper and lower case", "Return None\n", "return none", "x", "in upper and lower case here"),
    refuses(
        "the line that is not there",
        "def f(a):\n    x = compute(a)\n    return x\n",
        "def f(a):\n    x = compile(a)\n    return x\n",
        "x",
        "its line 2 is not in the file, where the closest line is line 2:\n2\t    x = compute(a)",
    ),
    refuses(
        "a line far behind many that are right",
        "x = 1\n" * 6_000,
        "x = 1\n" * 4_000 + "wholly other\n",
        "x",
        "its line 4001 is not in the file",
    ),
    refuses(
        "spacing far behind many lines that are right",
        "".join(f"line {n}\n" for n in range(3_000)) + "f(a, b)\n",
        "".join(f"line {n}\n" for n in range(3_000)) + "f(a,b)\n",
        "x",
        "differs in its spacing or line breaks here, copy it from line 3001",
    ),
    refuses(
        "far behind many lines that are right comes what stands elsewhere",
        "last\n" + "line\n" * 6_000,
        "line\n" * 4_000 + "last\n",
        "x",
        "each of its lines is in the file",
    ),
    refuses("lines that are apart", "a1\nb2\nc3\n", "a1\nc3\n", "x", "each of its lines is in the file"),
    refuses("nothing alike", "alpha\n", "0123456789", "x", "read the file and copy the text exactly"),
    refuses("only blanks do not match loosely", "a\nb\n", "   \n", "\n", "old_text was not found"),
    refuses("a binary file", b"\x7fELF\0\0", "ELF", "x", "the file is binary"),
    refuses("a binary byte far inside", b"a" * 9000 + b"\0", "aaa", "x", "the file is binary"),
    refuses("a file too large", b"a\n" * (2 * 1024 * 1024 + 1), "a", "x", "only files up to 4194304"),
    refuses(
        "the hint is at most five lines",
        "".join(f"a{n} b{n}\n" for n in range(20)),
        "".join(f"a{n}  b{n}\n" for n in range(20)).replace("  ", " ").replace(" ", "   "),
        "x",
        "\n…",
    ),
]

LARGE = [
    makes(
        "a needle in a hundred thousand lines",
        "".join(f"line {n}\n" for n in range(100_000)),
        "line 77777\n",
        "found\n",
        "".join("found\n" if n == 77777 else f"line {n}\n" for n in range(100_000)),
    ),
    makes(
        "a tolerant needle in a hundred thousand lines",
        "".join(f"\tline {n}\n" for n in range(100_000)),
        "  line 77777\n  line 77778\n",
        "  found\n  line 77778\n",
        "".join("\tfound\n" if n == 77777 else f"\tline {n}\n" for n in range(100_000)),
    ),
    makes(
        "one very long line",
        "x" * 1_000_000 + "needle" + "y" * 1_000_000,
        "needle",
        "pin",
        "x" * 1_000_000 + "pin" + "y" * 1_000_000,
    ),
    refuses("nothing in a hundred thousand lines", "line\n" * 100_000, "0123456789", "x", "read the file and copy"),
]

CASES = [*EXACT, *ENDINGS, *FINAL_NEWLINE, *TRAILING, *INDENTATION, *REPEATED, *SEQUENCES, *UNICODE, *REFUSALS, *LARGE]
