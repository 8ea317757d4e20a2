"""Lines of a Myokit file: logical ones, without comments and descriptions, with their indents and line numbers.

A line goes on while a round bracket is open or behind a backslash. What follows a colon is a text, which may be
over several lines between triple quotes; a triple quote at the begin of a line opens a comment."""
import dataclasses

import wm


@dataclasses.dataclass
class Line:
    number: int
    indent: int
    text: str
    children: list = dataclasses.field(default_factory=list)


def _columns(text):
    column = 0
    for sign in text:
        if sign not in " \t":
            break
        column = column + 1 if sign == " " else (1 + column // 8) * 8
    return column


class _Reader:
    def __init__(self, source):
        self.lines, self.at = source.splitlines(), 0

    def next(self):
        self.at += 1
        return self.lines[self.at - 1]

    def skip_quoted(self, rest, line):
        """Lines up to the one that closes a triple quote; what follows it there."""
        while '"""' not in rest:
            if self.at == len(self.lines):
                raise wm.Unsupported("texts that do not end", line)
            rest = self.next()
        return rest.split('"""', 1)[1]

    def logical(self):
        """The next line, or None."""
        text, number, indent, depth = "", 0, 0, 0
        while self.at < len(self.lines):
            raw = self.next()
            if not text and raw.startswith('"""'):
                raw = self.skip_quoted(raw[3:], self.at)
            raw = raw.split("#", 1)[0].rstrip()
            if not raw:
                continue
            if not text:
                number, indent = self.at, _columns(raw)
            if ":" in raw:
                raw = self.described(raw)
            text += " " + raw.strip().rstrip("\\")
            depth += raw.count("(") - raw.count(")")
            if depth <= 0 and not raw.endswith("\\"):
                return Line(number, indent, text.strip())
        if text:
            raise wm.Unsupported("lines that do not end", number)
        return None

    def described(self, raw):
        """What stands before a colon, with the colon; its text is passed over."""
        kept, text = raw.split(":", 1)
        text = text.strip()
        if text.startswith('"""'):
            self.skip_quoted(text[3:], self.at)
        while text.endswith("\\") and self.at < len(self.lines):
            text = self.next().rstrip()
        return kept + ":"


def segments(source):
    """{"model": [Line], "protocol": [Line]}, with nested lines as children; a script is Python's and left aside."""
    found, reader, here = {}, _Reader(source), None
    stack = []
    while True:
        line = reader.logical()
        if line is None:
            return found
        if line.text.startswith("[["):
            name = line.text.strip("[]")
            if name == "script":
                return found
            here = found.setdefault(name, [])
            stack = []
            continue
        if here is None:
            raise wm.Unsupported("files that are no mmt", line.number)
        while stack and stack[-1].indent >= line.indent:
            stack.pop()
        (stack[-1].children if stack else here).append(line)
        stack.append(line)
