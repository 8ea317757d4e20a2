"""The manual pages against the command line and the header: every command, option, choice, kind, variable, status and
function is in them, nothing else is, and they render without a warning.

    test_manual.py SOURCE [WARPLU]
"""
import os
import re
import shutil
import subprocess
import sys

source, warplu = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

PAGES = ["warplu.1", "warplu.3", "warplu-mm.3", "warpmodel.3", "warplu-klu-run.1"]
HEADERS = {"warplu.3": ["status.h", "warplu.h", "inspect.h", "complex.h", "device.h", "save.h", "batch.h", "batch_device.h", "cache.h"], "warplu-mm.3": ["matrix_market.h"],
           "warpmodel.3": ["model.h"]}
SHARED = "ANALYSIS OPTIONS"


def text(*parts):
    with open(os.path.join(source, *parts), encoding="utf-8") as file:
        return file.read()


def help_of(*command):
    if warplu is None:
        raise tap.Skip("the build has no command line")
    return subprocess.run([warplu, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def commands():
    listed = help_of().split("\nCommands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


def options_of_help(command):
    """{long name: (letter or None, choices)} from a help text, or from those of a command's subcommands."""
    found, texts = {}, help_of(command)
    if f"Usage: warplu {command} check|" in texts:
        texts = "".join(help_of(command, name) for name in texts.split()[3].split("|"))
    for letter, name, rest in re.findall(r"^  (?:-(\w), )?\s*--([\w-]+)(.*)$", texts, re.MULTILINE):
        value = rest.split("  ")[0].strip()
        found[name] = (letter or None, value.split("|") if "|" in value else [])
    return found


def sections(page, macro):
    """{title: text} of the sections or subsections of a page."""
    parts = re.split(rf"^\.{macro} (.*)$", text("docs", page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def options_of_page(part):
    found = {}
    for item in re.findall(r"^\.It (Fl .*)$", part, re.MULTILINE):
        name = re.search(r"Fl -([\w-]+)", item).group(1)
        letter = re.match(r"Fl (\w) ,", item)
        choices = re.search(r" Cm (.*)$", item)
        found[name] = (letter.group(1) if letter else None, choices.group(1).split(" | ") if choices else [])
    return found


def described():
    """{command: options} as the page has them, shared ones included, and the shared ones alone."""
    parts = sections("warplu.1", "Ss")
    last = parts and list(parts)[-1]
    parts[last] = parts[last].split("\n.Sh ")[0]
    shared = options_of_page(sections("warplu.1", "Sh")[SHARED])
    result = {}
    for title, part in parts.items():
        own = options_of_page(part)
        result[title.split()[1]] = {**shared, **own} if f".Sx {SHARED}" in part else own
    return result


def every_command_is_described():
    page = described()
    missing, extra = set(commands()) - set(page), set(page) - set(commands())
    assert not missing, f"docs/warplu.1 has no '.Ss warplu COMMAND' for: {sorted(missing)}"
    assert not extra, f"docs/warplu.1 describes commands that do not exist: {sorted(extra)}"
    synopsis = sections("warplu.1", "Sh")["SYNOPSIS"]
    for name in commands():
        assert f".Cm {name}\n" in synopsis, f"docs/warplu.1: '{name}' is not in the SYNOPSIS"


def every_option_is_described():
    page, wrong = described(), []
    for command in commands():
        has, says = options_of_help(command), page.get(command, {})
        assert has, f"warplu {command} --help lists no options"
        wrong += [f"warplu {command} --{name} is not described" for name in has if name not in says]
        wrong += [f"warplu {command} has no option --{name}" for name in says if name not in has]
        for name in sorted(set(has) & set(says)):
            if has[name] != says[name]:
                wrong.append(f"warplu {command} --{name}: letter and choices are {has[name]}, the page says {says[name]}")
    assert not wrong, "docs/warplu.1 differs from the help texts:\n" + "\n".join(wrong)


def options_of_the_program_are_described():
    description = options_of_page(sections("warplu.1", "Sh")["DESCRIPTION"])
    has = set(re.findall(r"^  --(\w+)", help_of(), re.MULTILINE))
    assert has == set(description), f"warplu --help has {sorted(has)}, the page {sorted(description)}"


def every_kind_is_described():
    kinds = re.findall(r"^GEN_KIND\((\w+),.*\"(.*)\"\)", text("tools", "gen", "kinds.def"), re.MULTILINE)
    items = re.findall(r"^\.It Cm (\w+)\n(.*)$", sections("warplu.1", "Ss")["warplu gen"], re.MULTILINE)
    assert kinds and kinds == [i for i in items if i[0] in dict(kinds)], f"kinds are {kinds}, the page has {items}"


def variables_read_in(*tops):
    found = set()
    for top in tops:
        for folder, _, names in os.walk(os.path.join(source, *top.split("/"))):
            for name in names:
                if name.endswith((".c", ".h")):
                    found |= set(re.findall(r'getenv\("(\w+)"\)', text(os.path.join(folder, name))))
    return found


def every_variable_is_described():
    library = variables_read_in("src")
    assert library
    for page, found in (("warplu.3", library), ("warplu.1", library | variables_read_in("tools", "benchmarks/peers"))):
        says = set(re.findall(r"^\.It Ev (\w+)", text("docs", page), re.MULTILINE))
        assert says == found, f"docs/{page}: variables {sorted(says)}, the code reads {sorted(found)}"


def the_runner_is_described():
    script = text("adapters", "klu", "warplu-klu-run.in")
    takes = set(re.findall(r"^        --([\w-]+)[ )]", script, re.MULTILINE))
    says = options_of_page(sections("warplu-klu-run.1", "Sh")["DESCRIPTION"])
    assert takes == set(says) and "abi" in takes, f"warplu-klu-run takes {sorted(takes)}, the page has {sorted(says)}"
    reads = variables_read_in("adapters/klu") | set(re.findall(r"\$\{(WARPLU_\w+)", script))
    told = set(re.findall(r"^\.It Ev (\w+)", text("docs", "warplu-klu-run.1"), re.MULTILINE))
    assert told == reads, f"docs/warplu-klu-run.1: variables {sorted(told)}, the code reads {sorted(reads)}"


def every_status_is_listed():
    names = {"WARPLU_" + n for n in re.findall(r"^WARPLU_STATUS\((\w+)", text("include", "warplu", "status.def"), re.MULTILINE)}
    says = set(re.findall(r"\bDv (WARPLU_\w+)", text("docs", "warplu.3")))
    assert names - says == set(), f"not in docs/warplu.3: {sorted(names - says)}"
    assert says - names == set(), f"docs/warplu.3 lists what is no status: {sorted(says - names)}"


def every_function_is_listed():
    for page, headers in HEADERS.items():
        declared = "".join(text("include", "warplu", header) for header in headers)
        names = set(re.findall(r"^WARPLU_API[^;(]*?(warplu_\w+)\(", declared, re.MULTILINE))
        assert len(names) > 5, f"docs/{page}: no functions found"
        says = set(re.findall(r"\bFn (warplu_\w+)", "\n".join(re.findall(r"^\.It .*$", text("docs", page), re.MULTILINE))))
        assert names - says == set(), f"not in docs/{page}: {sorted(names - says)}"
        assert says - names == set(), f"docs/{page} lists what is no function: {sorted(says - names)}"


def run(*command):
    environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80", MANROFFSEQ="", PAGER="cat", MANPAGER="cat")
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, check=False)


def pages_render():
    if shutil.which("man") is None or shutil.which("groff") is None:
        raise tap.Skip("man (man-db) or groff is not installed")
    for page in PAGES:
        done = run("man", "--warnings", "-E", "UTF-8", "-Tutf8", "-l", os.path.join(source, "docs", page))
        if "mandoc" in done.stderr and "usage" in done.stderr:
            raise tap.Skip("this man is not man-db's")
        assert done.returncode == 0 and done.stderr == "", f"{page}: {done.stderr}"
        assert "SEE ALSO" in re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout), f"{page} does not render to its end"


def pages_are_clean():
    mandoc = shutil.which("mandoc")
    if mandoc is None:
        raise tap.Skip("mandoc is not installed")
    for page in PAGES:
        done = run(mandoc, "-T", "lint", "-W", "warning", os.path.join(source, "docs", page))
        assert done.stdout == "", done.stdout


tap.run([every_command_is_described, every_option_is_described, options_of_the_program_are_described,
         every_kind_is_described, every_variable_is_described, the_runner_is_described, every_status_is_listed, every_function_is_listed,
         pages_render, pages_are_clean])
