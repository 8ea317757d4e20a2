"""The documents say what the code does: quoted programs, opcodes, statuses, options, variables, links.

    test_documents.py SOURCE
"""
import os
import re
import subprocess
import sys

source = sys.argv[1]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402


def text(*parts):
    with open(os.path.join(source, *parts), encoding="utf-8") as file:
        return file.read()


def documents():
    """Every Markdown file of the root and of docs."""
    found = [name for name in sorted(os.listdir(source)) if name.endswith(".md")]
    for folder, _, names in sorted(os.walk(os.path.join(source, "docs"))):
        found += [os.path.relpath(os.path.join(folder, name), source) for name in sorted(names) if name.endswith(".md")]
    assert "README.md" in found and len(found) > 8, found
    return found


def sources():
    for top in ("src", "tools", "tests", "benchmarks", ".ci"):
        for folder, _, names in os.walk(os.path.join(source, top)):
            for name in names:
                if name.endswith((".c", ".h", ".py", ".sh")) or "." not in name:
                    yield os.path.join(folder, name)


def readme_quotes_the_examples():
    """The first program whole, something of every other, all as it stands in some example."""
    blocks = re.findall(r"^```c\n(.*?)^```$", text("README.md"), re.MULTILINE | re.DOTALL)
    examples = {name: text("examples", name) for name in sorted(os.listdir(os.path.join(source, "examples")))
                if os.path.isfile(os.path.join(source, "examples", name))}
    assert examples["first.c"] in blocks, "README.md and examples/first.c differ"
    for name, program in examples.items():
        assert "int main(" not in program or any("\n" + block in "\n" + program for block in blocks), f"README.md quotes nothing of examples/{name}"
    for block in blocks:
        assert any("\n" + block in "\n" + program for program in examples.values()), f"in no example:\n{block}"


def every_opcode_is_described():
    opcodes = re.findall(r'^WLU_(?:STREAM_|CHAIN_)?OPCODE\((\w+), (\w+), \d+, \w+, "(.*?)"',
                         text("src", "program", "opcodes.def"), re.MULTILINE)
    assert opcodes
    document = text("docs", "instruction-set.md")
    for name, _, semantics in opcodes:
        assert re.search(rf"^### `{name}\b", document, re.MULTILINE), f"{name} has no section"
        assert semantics in document, f"{name}: opcodes.def says '{semantics}'"
    for name in re.findall(r"^### `(\w+)", document, re.MULTILINE):
        assert name in [o[0] for o in opcodes], f"{name} is no opcode"


def every_function_of_models_is_named():
    functions = re.findall(r'^WLM_(?:OPCODE|ELEMENTARY)\(\w+, \d, "(\w+)", (?:CALL|LIST),',
                           text("src", "model", "graph", "opcodes.def"), re.MULTILINE)
    functions += re.findall(r"^WLM_FUNCTION\((\w+),", text("src", "model", "text", "functions.def"), re.MULTILINE)
    grammar = re.search(r"^    function     = (.*?)\n\n", text("docs", "models.md"), re.MULTILINE | re.DOTALL).group(1)
    named = re.findall(r'"(\w+)"', grammar)
    assert named == sorted(functions), f"docs/models.md has {named}, the language {sorted(functions)}"
    written = re.search(r"^FUNCTIONS = \{(.*?)\}", text("tools", "import", "wm.py"), re.MULTILINE | re.DOTALL).group(1)
    converters = sorted(re.findall(r'"(\w+)"', written))
    expected = sorted(set(functions) - {"pulse", "lookup"})  # no format that is read has them
    assert converters == expected, f"tools/import/wm.py, FUNCTIONS: {converters}, the language has {expected}"


def words_of_the_language_are_the_code_s():
    """docs/models.md lists what wlm_reserved has, and the converters give no names that it has."""
    body = re.search(r"^int wlm_reserved\(.*?words\[\] = \{(.*?)\};", text("src", "model", "text", "lexer.c"), re.MULTILINE | re.DOTALL).group(1)
    words = re.findall(r'"(\w+)"', body)
    listed = re.search(r"Words of the language are no names: `(.*?)`", text("docs", "models.md"), re.DOTALL).group(1).split()
    assert words and sorted(words) == listed, f"docs/models.md has {listed}, src/model/text/lexer.c {sorted(words)}"
    reserved = re.search(r"^RESERVED = .*?\}", text("tools", "import", "wm.py"), re.MULTILINE | re.DOTALL).group(0)
    missing = set(words) - set(re.findall(r'"(\w+)"', reserved))
    assert not missing, f"tools/import/wm.py, RESERVED: {missing}"


def chain_shape_is_the_code_s():
    header = text("src", "numerics", "sums.h")
    document = text("docs", "instruction-set.md")
    in_order, lanes = re.search(r"WLU_DOT_IN_ORDER_MAX = (\d+), WLU_DOT_LANES = (\d+)", header).groups()
    assert f"up to {in_order} terms" in document and f"{lanes} accumulators" in document


def every_status_is_named():
    document = text("docs", "statuses.md")
    for name in re.findall(r"^WARPLU_STATUS\((\w+)", text("include", "warplu", "status.def"), re.MULTILINE):
        assert f"`{name}`" in document, f"status {name} is not in docs/statuses.md"


def every_header_and_struct_is_in_the_abi():
    """docs/abi.md names all headers, all structs with a size, those without one as what does not grow."""
    document = text("docs", "abi.md")
    folder = os.path.join(source, "include", "warplu")
    headers = sorted(name for name in os.listdir(folder) if name.endswith(".h") and name != "status.h")
    structs = [found for name in headers for found in re.findall(r"^typedef struct (\w+) \{", text("include", "warplu", name), re.MULTILINE)]
    assert len(headers) > 5 and len(structs) > 15, "the headers were not read"
    missing = [name for name in headers + structs if f"`{name}`" not in document and f"`warplu/{name}`" not in document]
    assert not missing, f"docs/abi.md does not name {missing}"


def every_executor_is_named():
    """src/exec/exec_list.def has the tables, numbers, names and strategies; the header, the manual and docs/architecture.md
    have them too, and no others."""
    lines = text("src", "exec", "exec_list.def")
    rows = re.findall(r'^WLU_EXECUTOR\((\w+), (\w+), "(\w+)", WARPLU_STRATEGY_(\w+), [01]\)', lines, re.MULTILINE)
    assert rows and len(rows) == lines.count("\nWLU_EXECUTOR("), "a line of exec_list.def was not read"
    header, manual = text("include", "warplu", "warplu.h"), text("docs", "warplu.1")
    row_of_exec = re.search(r"^\| `src/exec` \|.*$", text("docs", "architecture.md"), re.MULTILINE).group()
    for table, number, _, strategy in rows:
        assert f"`{table}`" in row_of_exec, f"docs/architecture.md, src/exec: no executor {table}"
        assert f"    {number} = " in header and f"    WARPLU_STRATEGY_{strategy} = " in header, f"warplu.h: {number}, {strategy}"
    for option, named in (("executor", {row[2] for row in rows}), ("strategy", {row[3].lower() for row in rows})):
        offered = re.findall(rf"^\.It Fl -{option} Cm (.*)$", manual, re.MULTILINE)
        named |= {"auto"}
        assert offered and all(named - {"reference"} <= set(line.split(" | ")) <= named for line in offered), f"docs/warplu.1: {offered}"
    explained = re.search(r"^\.Sh EXECUTORS$(.*?)^\.Sh ", manual, re.MULTILINE | re.DOTALL).group(1)
    names = set(re.findall(r"^\.It Cm (\w+)$", explained, re.MULTILINE))
    assert names == {row[2] for row in rows} | {"auto"}, f"docs/warplu.1, EXECUTORS: {names}"


def every_method_is_described():
    """src/model/method/methods.def has the methods; warplu/model.h, the grammar and tables of docs/models.md and the manual have
    them too, and no others."""
    lines = text("src", "model", "method", "methods.def")
    rows = re.findall(r'^WLM_METHOD\((\d+), (\w+), "([\w-]+)", (\d+), (\w+), (\w+), (\w+), ', lines, re.MULTILINE)
    assert rows and len(rows) == lines.count("\nWLM_METHOD("), "a line of methods.def was not read"
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1)), "numbers of methods.def do not ascend by 1"
    declared = re.findall(r"^    WARPLU_METHOD_(\w+) = (\d+)", text("include", "warplu", "model.h"), re.MULTILINE)
    assert declared == [("AUTO", "0")] + [(row[1], row[0]) for row in rows], f"warplu/model.h: {declared}"
    models, names = text("docs", "models.md"), [row[2] for row in rows]
    grammar = re.search(r"^    method +=(.*?)^    \w+ +=", models, re.MULTILINE | re.DOTALL).group(1)
    assert re.findall(r'"([\w-]+)"', grammar) == names, f"docs/models.md, Grammar: {grammar}"
    steps = {(1, 1): "controlled, fixed", (0, 0): "fixed", (1, 0): "fixed; in small systems also controlled",
             (-1, 0): "fixed; in large systems alone"}
    kind = {"WLM_NO_STEPS": -1, "WLM_FIXED_STEPS": 0}
    table = [tuple(cell.strip() for cell in line.split("|")[1:4]) for line in models.split("## Methods")[1].splitlines() if line.startswith("| `")]
    wanted = [(f"`{name}`", order, steps[kind.get(small, 1), kind.get(large, 1)]) for _, _, name, order, small, _, large in rows]
    assert table[:len(wanted)] == wanted, f"docs/models.md, Methods: {wanted}"
    absent = " and ".join(f"`{row[2]}`" for row in rows if row[5] == "WLM_NO_STEPS")
    assert f"Every method but {absent}," in models, f"docs/models.md, On a device: {absent}"
    fixed = [row[2] for row in rows if not any(cell.isdigit() for cell in row[4:7])]
    manual = text("docs", "warplu.1")
    needs = re.search(r"^Steps of this length; (.*) need it", manual, re.MULTILINE).group(1)
    assert re.split(", | and ", needs) == fixed, f"docs/warplu.1, --dt: {fixed}"
    assert f".It Fl -method Cm auto | {' | '.join(names)}\n" in manual, "docs/warplu.1, --method"


def every_build_option_is_named():
    for name in re.findall(r"^option\('(\w+)'", text("meson_options.txt"), re.MULTILINE):
        assert f"`{name}`" in text("README.md"), f"option {name} is not in README.md"


def every_variable_is_named():
    found = set()
    for path in sources():
        with open(path, encoding="utf-8", errors="replace") as file:
            found |= set(re.findall(r"""(?:getenv\(|environ(?:\.get\(|\[))["'](WARPLU_\w+)["']""", file.read()))
    document = text("docs", "testing.md")
    missing = sorted(name for name in found if name not in document)
    assert not missing, f"not in docs/testing.md: {missing}"


def every_test_folder_is_named():
    table = text("docs", "testing.md")
    for name in sorted(os.listdir(os.path.join(source, "tests"))):
        if os.path.isdir(os.path.join(source, "tests", name)):
            assert f"| `tests/{name}` |" in table, f"tests/{name} has no line in docs/testing.md"


def thresholds_are_the_code_s():
    """docs/numerics.md has each line of src/numerics/thresholds.def once, word for word, and no others."""
    lines = text("src", "numerics", "thresholds.def")
    rows = re.findall(r'^WLU_THRESHOLD\((\w+), ([^,]+), ([^,]+), "(.*)"\)$', lines, re.MULTILINE)
    assert rows and len(rows) == lines.count("\nWLU_THRESHOLD("), "a line of thresholds.def was not read"
    document = text("docs", "numerics.md")
    for row in rows:
        line = "| `{}` | {} | {} | {} |".format(*row)
        assert document.count(f"\n{line}\n") == 1, f"docs/numerics.md does not have this once: {line}"
    named = re.findall(r"^\| `(\w+)` \| [\d.e-]+ \|", document, re.MULTILINE)
    assert sorted(named) == sorted(row[0] for row in rows), f"no thresholds: {set(named) - {row[0] for row in rows}}"
    trial = re.search(r"^enum \{ (WLU_TRIAL_SOLVES) = (\d+), WLU_DISPROVEN", text("src", "solver", "cache.h"), re.MULTILINE)
    assert "`{}` ({})".format(*trial.groups()) in document, "docs/numerics.md: WLU_TRIAL_SOLVES"


def phases_are_the_code_s():
    """docs/phases.md has the rows of src/solver/phase.def, in their order, and explains each phase."""
    calls = re.findall(r"^WLU_CALL\(\w+,\s*(\w+),\s*((?:[01],\s*){6})([01]),\s*(\w+),\s*(\w+)\)", text("src", "solver", "phase.def"),
                       re.MULTILINE)
    assert len(calls) == text("src", "solver", "phase.def").count("\nWLU_CALL("), "a row was not read"
    words = {"SAME": "the same", "UNFACTORED": "pivoted or analyzed"}
    answer = {"0": "", "1": "yes"}
    rows = [[f"`warplu_{name}`", *(answer[x] for x in re.findall("[01]", cells + program)),
             words.get(success, success.lower()), words.get(failure, failure.lower())]
            for name, cells, program, success, failure in calls]
    document = text("docs", "phases.md")
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in document.splitlines() if line.startswith("| `warplu_")]
    for row in rows:
        assert row in found, f"docs/phases.md has no row {row}"
    assert found == rows, "docs/phases.md has other rows, or another order"
    enumerators = re.search(r"typedef enum wlu_phase \{(.*?)WLU_PHASES", text("src", "solver", "phase.h"), re.DOTALL).group(1)
    for phase in re.findall(r"WLU_(\w+),", enumerators):
        assert re.search(rf"^\| {phase.lower()} \|", document, re.MULTILINE), f"phase {phase} is not explained"


def anchors(document):
    """Those that GitHub makes of the headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", document, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_lead_somewhere():
    for name in documents():
        for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text(name)):
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            assert os.path.exists(os.path.join(source, path)), f"{name}: {target} is not there"
            assert not anchor or anchor in anchors(text(path)), f"{name}: {target}#{anchor} is no heading"


def named_files_exist():
    pattern = r"`((?:src|tools|tests|include|examples|docs|benchmarks)/[\w./-]*\w)`"
    for name in documents():
        for target in re.findall(pattern, text(name)):
            assert "NAME" in target or os.path.exists(os.path.join(source, target)), f"{name}: {target} is not there"


def glossary_names_exist():
    """Identifiers and files that the glossary gives as places in the code."""
    everything, names = "", set()
    for top in ("src", "cuda", "include"):
        for folder, _, files in os.walk(os.path.join(source, top)):
            names |= {os.path.relpath(os.path.join(folder, name), source) for name in files}
            for name in files:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    everything += file.read()
    basenames = {os.path.basename(name) for name in names}
    terms = re.findall(r"^\| ([^|]+) \| (?:[^|]|\\\|)+ \| ([^|]*) \|", text("docs", "glossary.md"), re.MULTILINE)
    assert len(terms) > 60, len(terms)
    for word, places in terms:
        for place in re.findall(r"`([^`]+)`", places):
            if re.fullmatch(r"(wlu|WLU|wlm|WLM|warplu|WARPLU)_\w+\*?", place):
                assert place.rstrip("*") in everything, f"glossary, {word}: no {place} in the code"
            elif re.fullmatch(r"[\w/]+\.(c|h|cu|cuh|def)", place):
                assert any(name.endswith("/" + place) or name == place for name in names), f"glossary, {word}: no file {place}"
            elif "*." in place:
                pattern = re.escape(place).replace(r"\*", ".*")
                assert any(re.fullmatch(pattern, name) for name in basenames), f"glossary, {word}: no file {place}"


ELSEWHERE = {"cuda.h", "cusolver_common.h"}  # headers of others that comments name


def comments_name_files_that_exist():
    """Headers and sources of the project that comments of C and CUDA files refer to."""
    known, wrong = set(), []
    for top in ("src", "cuda", "include", "tools", "tests", "benchmarks", "examples"):
        for folder, _, files in os.walk(os.path.join(source, top)):
            known |= {os.path.relpath(os.path.join(folder, name), source) for name in files}
    for path in sorted(known):
        if not path.endswith((".c", ".h", ".cu", ".cuh", ".def")):
            continue
        for comment in re.findall(r"/\*.*?\*/", text(path), re.DOTALL):
            for name in re.findall(r"(?<![\w./<-])((?:\w+/)*[a-z][a-z0-9_]+\.(?:c|h|cu|cuh|def))\b", comment):
                found = name in ELSEWHERE or any(("/" + one).endswith("/" + name) for one in known | {"include/warplu/version.h"})
                wrong += [] if found else [f"{path}: {name}"]
    assert not wrong, "\n".join(wrong)


def tables_are_those_of_the_results():
    command = [sys.executable, os.path.join(source, "benchmarks", "tables.py"), "--check"]
    result = subprocess.run(command + [os.path.join(source, name) for name in documents()], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    assert result.returncode == 0, result.stdout
    assert "<!-- table:" in text("README.md") and "<!-- table:" in text("docs", "performance.md")


tap.run([readme_quotes_the_examples, every_opcode_is_described, every_function_of_models_is_named,
         words_of_the_language_are_the_code_s, chain_shape_is_the_code_s,
         every_status_is_named, every_header_and_struct_is_in_the_abi,
         every_executor_is_named, every_method_is_described, every_build_option_is_named, every_variable_is_named, every_test_folder_is_named,
         thresholds_are_the_code_s, phases_are_the_code_s, links_lead_somewhere,
         named_files_exist, glossary_names_exist,
         comments_name_files_that_exist, tables_are_those_of_the_results])
