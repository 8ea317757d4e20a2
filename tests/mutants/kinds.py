"""Kinds of faults that mutants.py plants, and where a file of C has places for them."""
import re

# Balanced up to two parentheses within.
CONDITION = r"[^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*"
OPERAND = r"((?:\w|\.|->)+(?:\[[^\]]*\])?)"
FRACTION = r"(?<![\w.])\d+\.\d*(?:e[-+]?\d+)?(?!\w)"

# Name, what is found in code that clang-format has formatted, what stands there instead.
KINDS = (
    ("bound", r" ([<>]) ", r" \1= "),
    ("bound", r" ([<>])= ", r" \1 "),
    ("comparison", r" == ", r" != "),
    ("comparison", r" != ", r" == "),
    ("logic", r" && ", r" || "),
    ("logic", r" \|\| ", r" && "),
    ("sign", r"(?<=[\w)\]]) \+ (?=[\w(])", r" - "),
    ("sign", r"(?<=[\w)\]]) - (?=[\w(])", r" + "),
    ("sign", r" \+= ", r" -= "),
    ("sign", r" -= ", r" += "),
    ("factor", r"(?<=[\w)\]]) \* (?=[\w(-])", r" / "),
    ("factor", r" / ", r" * "),
    ("constant", r"(?<![\w.])0\.0(?!\w)", r"1.0"),
    ("constant", r"(?!0\.0(?!\w))" + FRACTION, r"(0.5 * \g<0>)"),
    ("off by one", r"(?<![\w.])\d+(?![\w.])", r"(\g<0> + 1)"),
    ("extreme", r"\bfmin\(", r"fmax("),
    ("extreme", r"\bfmax\(", r"fmin("),
    ("loop backwards", r"\bfor \((\w+ )?(\w+) = ([^;,]+); \2 < ([^;&|]+); \2\+\+\)", r"for (\1\2 = (\4) - 1; \2 >= (\3); \2--)"),
    ("operands swapped", r"(?<=[=(,] )" + OPERAND + r" ([-/]) " + OPERAND + r"(?=[;,)])", r"\3 \2 \1"),
    ("arguments swapped", r"(?<=\w)\((\w+), (\w+)\)", r"(\2, \1)"),
    ("branch dropped", r"\bif \(" + CONDITION + r"\)", r"if (0)"),
    ("branch taken", r"\bif \(" + CONDITION + r"\)", r"if (1)"),
    ("statement dropped", r"(?m)(?<=    )[\w.>\[\]-]+ [-+*/|&]?= [^;]*;$", r";"),
    ("statement dropped", r"(?m)(?<=    )(?!return)\w+\([^;]*\);$", r";"),
)

# What is no code: comments, strings, characters, lines of the preprocessor but definitions.
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?!define)(?:\\\n|[^\n])*', re.S | re.M)


def code_of(text):
    """The text with blanks for all that is no code; places stay."""
    return NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


FUNCTION = re.compile(r"^[a-z][\w *]*?(\w+)\(", re.M)


class Fault:
    """One fault at one place. before, after: its lines, blanks apart; with file and function they name it in reports."""

    def __init__(self, file, kind, text, begin, end, instead):
        self.file, self.kind = file, kind
        self.text, self.mutant = text, text[:begin] + instead + text[end:]
        self.line = text.count("\n", 0, begin) + 1
        above = FUNCTION.findall(text, 0, end)
        self.function = above[-1] if above else ""
        first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        self.before = " ".join(text[first:last].split())
        self.after = " ".join((text[first:begin] + instead + text[end:last]).split())

    def name(self):
        return self.file, self.function, self.before, self.after


def faults_of(file, text):
    """All that can be planted into a file."""
    code = code_of(text)
    for kind, pattern, instead in KINDS:
        for found in re.finditer(pattern, code):
            yield Fault(file, kind, text, found.start(), found.end(), found.expand(instead))
