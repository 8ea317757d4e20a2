"""Tables as aligned text. A cell is text, an integer, a real number, a Time, or None, where there is nothing."""


class Time:
    """A median of milliseconds with its least and most."""

    def __init__(self, *loops):
        """The sum of loops, each with min, median and max."""
        self.least, self.median, self.most = (sum(loop[key] for loop in loops) for key in ("min", "median", "max"))

    def __str__(self):
        return f"{figure(self.median)} ({figure(self.least)} to {figure(self.most)})"

    def data(self):
        return {"median": self.median, "min": self.least, "max": self.most}


def figure(value):
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def shown(cell):
    if cell is None:
        return "-"
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, float):
        return f"{cell:.1e}" if 0 < abs(cell) < 1e-6 else figure(cell)
    return str(cell)


class Table:
    """columns: key to heading; rows: dictionaries by these keys. Notes are said once."""

    def __init__(self, table, title, columns):
        self.table, self.title, self.columns, self.rows, self.notes = table, title, columns, [], []

    def add(self, **cells):
        unknown = set(cells) - set(self.columns)
        assert not unknown, unknown
        self.rows.append(cells)

    def note(self, *texts):
        self.notes += [text for text in texts if text not in self.notes]

    def text(self):
        grid = [[shown(row.get(key)) for key in self.columns] for row in self.rows]
        heads = [heading.split("\n") for heading in self.columns.values()]
        deep = max(len(head) for head in heads)
        lines = [[(([""] * (deep - len(head))) + head)[k] for head in heads] for k in range(deep)] + grid
        widths = [max(len(line[c]) for line in lines) for c in range(len(heads))]
        left = [key in ("matrix", "source", "status") for key in self.columns]
        out = [f"Table {self.table}. {self.title}", ""]
        last = ""
        for k, line in enumerate(lines):
            cells = list(line)
            if k >= deep:
                cells[0], last = ("" if cells[0] == last else cells[0]), cells[0]
            if cells[-1] == "-" and list(self.columns)[-1] == "status":
                cells[-1] = ""
            out.append("  ".join(c.ljust(w) if l else c.rjust(w) for c, w, l in zip(cells, widths, left)).rstrip())
        return "\n".join(out + [""] + [f"* {note}" for note in self.notes]) + "\n"

    def data(self):
        return {"table": self.table, "title": self.title, "notes": self.notes,
                "rows": [{key: cell.data() if isinstance(cell, Time) else cell for key, cell in row.items()
                          if cell is not None} for row in self.rows]}
