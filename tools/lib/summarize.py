"""Summary of tools/check: counts TAP tests over the configurations and prints what failed and what was skipped.

    summarize.py [--min-swept N] RESULTS

RESULTS holds lines of three fields with tabs between: configuration, kind, text. Kinds:
    tested   text is a meson build folder with meson-logs/testlog.json, every test of which ran
    tested -SUITE,SUITE, tested +SUITE   the same, every test but those of the suites, or of that suite alone
    broken   a build that failed: one failure
    skipped  "what: reason": one skip

The last line printed is "N passed, N failed" or "N passed, N failed, N skipped". Exit status 0 only where tests ran
and none failed. A program that crashes, times out, breaks its plan or is missing from the log counts as a failure
even where none of its tests said "not ok".
"""
import argparse
import json
import os
import re
import sys

RESULT = re.compile(r"^\s*(not )?ok\b\s*(\d+)?\s*(?:-\s*)?([^#]*?)\s*(?:#\s*(skip|todo)\S*\s*(.*))?$", re.IGNORECASE)
PLAN = re.compile(r"^1\.\.0\s*(?:#\s*skip\S*\s*(.*))?$", re.IGNORECASE)
SWEPT = re.compile(r"^# (\d+) matrices$")  # said by the test named sweep
GOOD = ("OK", "SKIP", "EXPECTEDFAIL")
LINES_SHOWN = 120


class Summary:
    def __init__(self):
        self.passed = 0
        self.failures = []  # (configuration, test, case)
        self.skips = {}  # (test, reason) -> [configuration]
        self.skipped = 0
        self.swept = 0
        self.outputs = []  # (configuration, test, output)

    def skip(self, configuration, what, reason):
        self.skipped += 1
        self.skips.setdefault((what, reason or "no reason given"), []).append(configuration)

    def fail(self, configuration, test, case):
        self.failures.append((configuration, test, case))


def count_tap(summary, configuration, test, stdout):
    """Counts the cases of one program; returns (cases, failures)."""
    cases = failures = 0
    for line in stdout.splitlines():
        swept = SWEPT.match(line) if test == "sweep" else None
        if swept:
            summary.swept = max(summary.swept, int(swept.group(1)))
        plan = PLAN.match(line)
        if plan:
            cases += 1
            summary.skip(configuration, test, plan.group(1))
            continue
        match = RESULT.match(line)
        if not match:
            continue
        cases += 1
        failed, number, case, directive, reason = match.groups()
        case = case or f"case {number or cases}"
        if directive and directive.lower() == "skip":
            summary.skip(configuration, f"{test}: {case}", reason)
        elif failed and not directive:
            failures += 1
            summary.fail(configuration, test, case)
        else:
            summary.passed += 1
    return cases, failures


def count_program(summary, configuration, entry):
    test = entry["name"].split(" / ")[-1]
    stdout = entry.get("stdout") or ""
    result = entry["result"]
    cases, failures = count_tap(summary, configuration, test, stdout)
    if cases == 0 and result == "OK":
        summary.fail(configuration, test, "the program ran no test")
        failures = 1
    elif result == "SKIP" and cases == 0:
        summary.skip(configuration, test, (stdout.strip().splitlines() or [None])[-1])
    elif result not in GOOD and failures == 0:
        summary.fail(configuration, test, f"ended with {result}, return code {entry.get('returncode')}")
        failures = 1
    if failures:
        text = stdout + "\n" + (entry.get("stderr") or "")
        summary.outputs.append((configuration, test, text))
    return test


def expected_tests(folder):
    """Names of the tests a build folder holds, with their suites; None where meson does not tell."""
    try:
        with open(os.path.join(folder, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
            return {t["name"]: [s.split(":")[-1] for s in t["suite"]] for t in json.load(file)}
    except (OSError, ValueError):
        return None


def is_due(asked, suites):
    """Whether a test of these suites was to run: asked is "", "-SUITE,SUITE" or "+SUITE"."""
    return not asked or any(suite in suites for suite in asked[1:].split(",")) == asked.startswith("+")


def count_folder(summary, configuration, folder, asked):
    seen = set()
    try:
        with open(os.path.join(folder, "meson-logs", "testlog.json"), encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.strip():
                    seen.add(count_program(summary, configuration, json.loads(line)))
    except (OSError, ValueError) as error:
        summary.fail(configuration, "meson test", f"no usable log: {error}")
        return
    for name, suites in (expected_tests(folder) or {}).items():
        if name not in seen and is_due(asked, suites):
            summary.fail(configuration, name, "did not run")
    if not seen:
        summary.fail(configuration, "meson test", "ran no test")


def read(results, min_swept):
    summary = Summary()
    for line in open(results, encoding="utf-8"):
        configuration, kind, text = line.rstrip("\n").split("\t", 2)
        if kind.split()[0] == "tested":
            count_folder(summary, configuration, text, kind[len("tested"):].strip())
        elif kind == "skipped":
            what, _, reason = text.partition(": ")
            summary.skip(configuration, what, reason)
        else:
            summary.fail(configuration, "build", text)
    if summary.swept < min_swept:
        summary.fail("release", "sweep", f"{summary.swept} matrices swept, at least {min_swept} expected")
    if summary.passed == 0 and not summary.failures:
        summary.fail("all", "tests", "nothing ran")
    return summary


def show(summary):
    for configuration, test, output in summary.outputs:
        lines = [l for l in output.rstrip().splitlines() if not RESULT.match(l) or l.lstrip().startswith("not")]
        print(f"\n-- {configuration}: {test}")
        if len(lines) > LINES_SHOWN:
            print(f"   ({len(lines) - LINES_SHOWN} lines left out)")
        print("\n".join(lines[-LINES_SHOWN:]))
    if summary.skips:
        print("\nSkipped:")
        for (what, reason), configurations in sorted(summary.skips.items()):
            print(f"  {what} [{', '.join(configurations)}]: {reason}")
    if summary.failures:
        print("\nFailed:")
        for configuration, test, case in summary.failures:
            print(f"  {configuration}: {test}: {case}")
    if summary.swept:
        print(f"\n{summary.swept} matrices swept")
    tail = f", {summary.skipped} skipped" if summary.skipped else ""
    print(f"{summary.passed} passed, {len(summary.failures)} failed{tail}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--min-swept", type=int, default=0)
    parser.add_argument("results")
    arguments = parser.parse_args()
    summary = read(arguments.results, arguments.min_swept)
    show(summary)
    return 1 if summary.failures else 0


if __name__ == "__main__":
    sys.exit(main())
