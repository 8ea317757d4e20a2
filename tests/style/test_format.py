"""Every tracked file keeps the rules of .editorconfig, every C and CUDA file is formatted by .clang-format, and the root holds no other names.

    test_format.py SOURCE

Tracked files are those that git lists; without git or outside a working tree every case is skipped. The text rules are read from
.editorconfig itself, by the subset of its patterns that the file uses: '*', '**', '{a,b}'; an unknown property fails. clang-format
formats differently from one major version to the next, so that its case is skipped unless the version is CLANG_FORMAT. It leaves comments
as they are, for it would join the lines of lists and tables; their length is a rule of .editorconfig.
Indentation is checked for tabs alone: widths vary with continuation lines.
"""
import configparser
import itertools
import os
import re
import shutil
import subprocess
import sys

source = sys.argv[1]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

CLANG_FORMAT = 14
CODE = (".c", ".h", ".cu", ".cuh")
KNOWN = {"charset": "utf-8", "end_of_line": "lf", "insert_final_newline": "true", "trim_trailing_whitespace": "true",
         "indent_style": "space"}
AT_A_TIME = 64  # files for one clang-format process
ROOT = {".ci", ".clang-format", ".editorconfig", ".git-blame-ignore-revs", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
        "README.md", "adapters", "benchmarks", "cuda", "debian", "docs", "examples", "include", "matrices", "meson.build",
        "meson_options.txt", "packaging", "pyproject.toml", "src", "tests", "tools"}


def tracked():
    if shutil.which("git") is None:
        raise tap.Skip("no git")
    result = subprocess.run(["git", "-C", source, "ls-files", "-z"], capture_output=True, check=False)
    if result.returncode != 0:
        raise tap.Skip("no working tree of git")
    names = [name for name in result.stdout.decode().split("\0") if name and os.path.isfile(os.path.join(source, name))]
    assert len(names) > 100, f"git lists {len(names)} files"
    return names


def alternatives(pattern):
    """The pattern once for each member of each '{a,b}'."""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^}]*\})", pattern)]
    return ["".join(choice) for choice in itertools.product(*parts)]


def matches(name, pattern):
    for one in alternatives(pattern):
        subject = name if "/" in one else os.path.basename(name)
        expression = re.escape(one).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        if re.fullmatch(expression, subject):
            return True
    return False


def sections():
    """[(pattern, properties)] of .editorconfig, in order."""
    parser = configparser.ConfigParser(interpolation=None, default_section=None)
    with open(os.path.join(source, ".editorconfig"), encoding="utf-8") as file:
        parser.read_string("[preamble]\n" + file.read())
    found = [(name, dict(parser[name])) for name in parser.sections()]
    assert found[0] == ("preamble", {"root": "true"}), found[0]
    for pattern, properties in found[1:]:
        for key, value in properties.items():
            known = key == "indent_size" or value == "unset" or KNOWN.get(key) == value
            assert known or (key == "max_line_length" and value.isdigit()), f"[{pattern}] {key} = {value}: no check"
    return found[1:]


def rules(name, listed):
    properties = {}
    for pattern, more in listed:
        if matches(name, pattern):
            properties.update(more)
    return {key: value for key, value in properties.items() if value != "unset"}


def problems(data, kept):
    """Texts of what in the file's bytes breaks a rule."""
    if "charset" in kept:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            yield f"not UTF-8 at byte {error.start}"
    if "insert_final_newline" in kept and data and (not data.endswith(b"\n") or data.endswith(b"\n\n")):
        yield "does not end in exactly one newline"
    for number, line in enumerate(data.split(b"\n"), 1):
        if "end_of_line" in kept and b"\r" in line:
            yield f"line {number}: carriage return"
        if "trim_trailing_whitespace" in kept and line != line.rstrip(b" \t\r"):
            yield f"line {number}: trailing whitespace"
        if "indent_style" in kept and b"\t" in line:
            yield f"line {number}: tab"
        if "max_line_length" in kept and len(line.decode("utf-8", "replace")) > int(kept["max_line_length"]):
            yield f"line {number}: longer than {kept['max_line_length']} characters"


def text_files_keep_editorconfig():
    listed, wrong = sections(), []
    for name in tracked():
        with open(os.path.join(source, name), "rb") as file:
            wrong += [f"{name}: {problem}" for problem in problems(file.read(), rules(name, listed))]
    assert not wrong, "\n".join(wrong[:40])


def root_holds_what_it_should():
    found = {name.split("/")[0] for name in tracked()}
    assert found == ROOT, f"more: {sorted(found - ROOT)}, less: {sorted(ROOT - found)}"


def clang_format():
    """The command of the major version that the code is formatted with."""
    for command in (f"clang-format-{CLANG_FORMAT}", "clang-format"):
        if shutil.which(command) is not None:
            version = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
            if re.search(rf"version {CLANG_FORMAT}\.", version):
                return command
    raise tap.Skip(f"no clang-format {CLANG_FORMAT}")


def code_is_formatted():
    command = clang_format()
    names = [name for name in tracked() if name.endswith(CODE)]
    wrong = set()
    for begin in range(0, len(names), AT_A_TIME):
        result = subprocess.run([command, "--style=file", "--dry-run", *names[begin:begin + AT_A_TIME]], cwd=source,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert result.returncode == 0, result.stdout
        wrong |= set(re.findall(r"^(\S+?):\d+:", result.stdout, re.MULTILINE))
    assert not wrong, "run clang-format -i on: " + " ".join(sorted(wrong))


tap.run([text_files_keep_editorconfig, root_holds_what_it_should, code_is_formatted])
