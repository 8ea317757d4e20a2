"""TAP output for tests written in Python.

    import tap
    def case_name(): ...            # returns None, raises tap.Skip(reason) or fails an assertion
    tap.run([case_name, ...])       # prints TAP and exits
    tap.some(things)                # all of them, or every k-th one: k is WARPLU_EVERY of the environment
"""
import os
import sys
import traceback


class Skip(Exception):
    pass


def some(things):
    every = os.environ.get("WARPLU_EVERY", "")
    return things[::int(every)] if every.isdigit() and int(every) > 0 else things


def run(cases):
    failures = 0
    for number, case in enumerate(cases, 1):
        name = case.__name__
        try:
            case()
            print(f"ok {number} - {name}", flush=True)
        except Skip as skip:
            print(f"ok {number} - {name} # SKIP {skip}", flush=True)
        except Exception:  # every failure is reported as one
            failures += 1
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {number} - {name}", flush=True)
    print(f"1..{len(cases)}", flush=True)
    sys.exit(1 if failures else 0)
