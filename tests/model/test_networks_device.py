"""Random networks by explicit methods on a CUDA device, or on a driver that runs kernels on the host (WARPLU_LIBCUDA):
rows are those of the CPU, byte for byte.

    test_networks_device.py SOURCE WARPLU [COUNT [SEED]]

Sets of some nodes or of many, elements of one to three ports that read sums of one or two levels, sums of one
contribution and of hundreds, states, gates, masses, parameters of each instance, pulses, limits, tables, and events by
sign."""
import os
import random
import subprocess
import sys
import tempfile

source, program = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import tap  # noqa: E402

COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else len(tap.some(range(12)))
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
METHODS = ("euler", "rk4", "ssp-rk2", "ssp-rk3", "dormand-prince", "bogacki-shampine", "rush-larsen")


def sets_of(r):
    """Sets of nodes by name: their counts."""
    return {f"s{k}": r.choice((1, 2, 17, 40, r.randint(50, 700), r.randint(50, 700))) for k in range(r.randint(1, 3))}


def node(r, count, at):
    """A node's number of an instance `i`: near it, mirrored, spread, or one for all."""
    return r.choice((f"(i + {r.randint(0, 3)}) mod {count}", f"{count - 1} - i mod {count}", f"i*{r.choice((3, 7, 11))} mod {count}",
                     f"{r.randint(0, count - 1)}" if at > 0 else f"i mod {count}"))


def kind(r, name, ports, level):
    """An element: what it reads of its ports, and what it adds. level 0 and 1: to sums g, h; 2: to balances."""
    reads = [f"p{k}.{q}" for k in range(ports) for q in ("x", "y")]
    reads += [f"p{k}.g" for k in range(ports)] if level > 0 else []
    reads += [f"p{k}.h" for k in range(ports)] if level > 1 else []
    lines = [f"element {name}({', '.join(f'p{k}' for k in range(ports))})", "  param a = 0.3"]
    a, b, c = (r.choice(reads) for _ in range(3))
    lines.append("  f = " + r.choice((f"a*({a} - {b})", f"a*tanh({a}*{b} + {c})", f"{a}/(2 + {b}^2) - a*{c}",
                                      f"(if {a} > {b} then {c} else a)", f"a*sin({a} + {b})*exp(-{c}^2)")))
    if level < 2:
        for k in r.sample(range(ports), r.randint(1, ports)):
            lines.append(f"  p{k}.{'gh'[level]} += {r.choice(('f', '-f', '0.5*f', 'f*f'))}")
        return lines + ["end"]
    if r.random() < 0.5:
        lines += ["  state w = 0.1", f"  w' = f - w + {r.choice(('0', 'pulse(0.05, 0.07, 0.2)', 'sin(3*t)'))}"]
        if r.random() < 0.3:
            lines.append("  event w - 0.15: w = 0.05")
    if r.random() < 0.4:
        lines.append(f"  gate n = 0.2: 1/(1 + exp(-{a})), 0.2 + {b}^2")
    extra = ["f"] + (["w"] if any("state w" in line for line in lines) else []) + (["n"] if any("gate" in line for line in lines) else [])
    for k in range(ports):
        for q in r.sample(("x", "y"), r.randint(1, 2)):
            lines.append(f"  p{k}.{q} += {r.choice(('', '-', '0.5*'))}{r.choice(extra)}")
    if r.random() < 0.2:
        lines.append(f"  limit 0.1/(1 + abs({a}))")
    return lines + ["end"]


def network(r):
    """A text, and whether its elements limit steps."""
    sets, lines = sets_of(r), []
    mass = r.random() < 0.4
    for name, count in sets.items():
        lines.append(f"nodes {name}[{count}] {{ {'balance' if mass else 'store'} x = sin(i); store y = cos(2*i); sum g; sum h }}")
    if mass:
        lines += ["element weight(p)", "  param c = 1.5", "  p.x += c*ddt(p.x)", "end"]
        lines += [f"use weight({name}[i]) with c = 1 + 0.5*(i mod 3) over i in 0..{count - 1}" for name, count in sets.items()]
    for k in range(r.randint(2, 6)):
        ports, level = r.randint(1, 3), (2 if k == 0 else r.randint(0, 2))
        element = kind(r, f"e{k}", ports, level)
        lines += element
        fires = any("event" in line for line in element)
        for _ in range(r.randint(1, 2)):
            chosen = [r.choice(list(sets)) for _ in range(ports)]
            count = 3 if fires else r.choice((1, sets[chosen[0]], r.randint(20, 900)))  # events are sought step by step
            bound = ", ".join(f"{name}[{node(r, sets[name], at)}]" for at, name in enumerate(chosen))
            given = r.choice(("", " with a = 0.2 + 0.001*i"))
            lines.append(f"use e{k}({bound}){given} over i in 0..{count - 1}")
    # what nothing adds to would be refused
    lines += ["element still(p)", "  p.x += -0.1*p.x", "  p.y += -0.2*p.y", "  p.g += 0.01*p.x", "  p.h += 0.01*p.y", "end"]
    lines += [f"use still({name}[i]) over i in 0..{count - 1}" for name, count in sets.items()]
    watched = ", ".join(f"{name}[{k}].{q}" for name, count in sets.items() for k in {0, count // 2, count - 1} for q in ("x", "y", "g", "h"))
    text = "\n".join(lines + ["run rk4 dt 0.02 to 0.3 every 0.1", f"watch {watched}"]) + "\n"
    return text, any("limit" in line for line in lines)


def run(path, *more):
    done = subprocess.run([program, "model", "run", path, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def is_missing(path):
    code, _, said = run(path, "--executor", "cuda")
    return code != 0 and b"CUDA" in said


def networks_have_the_rows_of_the_cpu():
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(COUNT):
            r = random.Random(f"{SEED} {k}")
            text, limits = network(r)
            path = os.path.join(folder, f"{k}.wm")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            if k == 0 and is_missing(path):
                raise tap.Skip("no CUDA device")
            method = r.choice(METHODS)
            ways = ["--method", method]
            if limits and r.random() < 0.5:
                ways += ["--cfl", "0.3"]
            elif method in ("dormand-prince", "bogacki-shampine") and r.random() < 0.5:
                ways += ["--rtol", "1e-3", "--atol", "1e-3"]
            else:
                ways += ["--dt", "0.02"]
            host, device = run(path, *ways), run(path, *ways, "--executor", "cuda")
            assert host == device, f"network {k} of seed {SEED}, {ways}: {device} where the CPU has {host}\n{text}"
            ran += host[0] == 0
    assert ran*2 > COUNT, f"{ran} of {COUNT} ran"


tap.run([networks_have_the_rows_of_the_cpu])
