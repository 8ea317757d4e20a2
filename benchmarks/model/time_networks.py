#!/usr/bin/env python3
"""Nanoseconds a cell and step of one network of many instances, on one core: gas dynamics on lines and in pipes.

    benchmarks/model/time_networks.py [--warplu FILE] [--beside FILE | --device] [--repeat N] [CASE]...

Cases, all by Euler's method with fixed steps:

    hllc-CELLS   Sod's shock tube by the first-order HLLC flux: one level
    waf-CELLS    the same by a weighted average flux with van Leer's limiter: waves of faces are sums, so two levels
    pipes-N      a network of N pipes of 3 to 31 cells, half of its ends in plenums of two to four: the flux of waf,
                 with friction; neighbours stand in runs, and ends out of order

With --device the same on a CUDA device, in microseconds a step of its run, and whether its rows are the core's.

User time of one process with all steps, less that of one with an eighth of them: reading and compiling are not in it.
The least of so many runs (7), by turns with --beside, another warplu; then both are printed, and whether their rows
are the same. Each case is a text that this program writes, and keeps with --keep FOLDER. Without a case: hllc-100
hllc-10000 waf-100 waf-10000 pipes-500."""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = ("hllc-100", "hllc-10000", "waf-100", "waf-10000", "pipes-500")
LONG = 3.2e7  # cells times steps of a run

# Speeds of the three waves between l and r, by pressures; densities between them.
SPEEDS = """  ul = l.m/l.r
  ur = r.m/r.r
  pl = 0.4*(l.e - 0.5*l.m*ul)
  pr = 0.4*(r.e - 0.5*r.m*ur)
  al = sqrt(1.4*pl/l.r)
  ar = sqrt(1.4*pr/r.r)
  ps = max(0, 0.5*(pl + pr) - 0.125*(ur - ul)*(l.r + r.r)*(al + ar))
  ql = if ps <= pl then 1 else sqrt(1 + 6/7*(ps/pl - 1))
  qr = if ps <= pr then 1 else sqrt(1 + 6/7*(ps/pr - 1))
  s1 = ul - al*ql
  s3 = ur + ar*qr
  ml = l.r*(s1 - ul)
  mr = r.r*(s3 - ur)
  s2 = (pr - pl + ml*ul - mr*ur)/(ml - mr)
  cl = ml/(s1 - s2)
  cr = mr/(s3 - s2)
"""
# Energies between the waves, from speeds that are there.
ENERGIES = """  el = cl*(l.e/l.r + (s2 - ul)*(s2 + pl/ml))
  er = cr*(r.e/r.r + (s2 - ur)*(s2 + pr/mr))
"""
ADDED = "".join(f"  l.{q} += -f{q}*kl\n  r.{q} += f{q}*kr\n" for q in "rme") + "end\n"
HLLC = "element flux(l, r)\n  param kl = 1/dx\n  param kr = 1/dx\n" + SPEEDS + ENERGIES + "".join(
    f"  f{q} = if s1 >= 0 then {fl} else if s2 >= 0 then {fl} + s1*({ul}) else if s3 > 0 then {fr} + s3*({ur}) else {fr}\n"
    for q, fl, ul, fr, ur in (("r", "l.m", "cl - l.r", "r.m", "cr - r.r"),
                              ("m", "(l.m*ul + pl)", "cl*s2 - l.m", "(r.m*ur + pr)", "cr*s2 - r.m"),
                              ("e", "ul*(l.e + pl)", "el - l.e", "ur*(r.e + pr)", "er - r.e"))) + ADDED
WAVES = "element waves(l, r, f)\n" + SPEEDS + """  f.d1 += cl - l.r
  f.d2 += cr - cl
  f.d3 += r.r - cr
  f.s1 += s1
  f.s2 += s2
  f.s3 += s3
end
"""
WAF = "element flux(l, r, a, f, b)\n  param kl = 1/dx\n  param kr = 1/dx\n" + """  ul = l.m/l.r
  ur = r.m/r.r
  pl = 0.4*(l.e - 0.5*l.m*ul)
  pr = 0.4*(r.e - 0.5*r.m*ur)
  s1 = f.s1
  s2 = f.s2
  s3 = f.s3
  ml = l.r*(s1 - ul)
  mr = r.r*(s3 - ur)
  cl = ml/(s1 - s2)
  cr = mr/(s3 - s2)
""" + ENERGIES + "".join(f"""  c{k} = dt/dx*s{k}
  up{k} = if c{k} > 0 then a.d{k} else b.d{k}
  w{k} = sign(c{k})*(1 - (1 - abs(c{k}))*(if up{k}*f.d{k} > 0 then 2*up{k}/(up{k} + f.d{k}) else 0))
""" for k in (1, 2, 3)) + """  fr = 0.5*(l.m + r.m - w1*s1*f.d1 - w2*s2*f.d2 - w3*s3*f.d3)
  fm = 0.5*(l.m*ul + pl + r.m*ur + pr - w1*s1*(cl*s2 - l.m) - w2*s2*s2*f.d2 - w3*s3*(r.m - cr*s2))
  fe = 0.5*(ul*(l.e + pl) + ur*(r.e + pr) - w1*s1*(el - l.e) - w2*s2*(er - el) - w3*s3*(r.e - er))
""" + ADDED
FRICTION = "element friction(c)\n  c.m += -0.02*c.m*abs(c.m)/c.r\nend\n"
FACES = "{ sum d1; sum d2; sum d3; sum s1; sum s2; sum s3 }"
NONE = "nodes none { fixed d1 = 0; fixed d2 = 0; fixed d3 = 0 }\n"


def tube(scheme, cells):
    """Sod's tube between two reservoirs."""
    text = f"""const n = {cells}
const dx = 1/n
const dt = 0.3*dx
{HLLC if scheme == "hllc" else WAVES + WAF}nodes u[n] {{ store r = if i < n/2 then 1 else 0.125
  store m = 0
  store e = if i < n/2 then 2.5 else 0.25 }}
nodes left {{ fixed r = 1; fixed m = 0; fixed e = 2.5 }}
nodes right {{ fixed r = 0.125; fixed m = 0; fixed e = 0.25 }}
"""
    if scheme == "hllc":
        text += ("use flux(u[i - 1], u[i]) over i in 1..n - 1\n"
                 "use flux(left, u[0])\nuse flux(u[n - 1], right)\n")
    else:
        text += (f"nodes face[n + 1] {FACES}\n" + NONE +
                 "use waves(u[i - 1], u[i], face[i]) over i in 1..n - 1\n"
                 "use waves(left, u[0], face[0])\nuse waves(u[n - 1], right, face[n])\n"
                 "use flux(u[i - 1], u[i], face[i - 1], face[i], face[i + 1]) over i in 1..n - 1\n"
                 "use flux(left, u[0], none, face[0], face[1])\n"
                 "use flux(u[n - 1], right, face[n - 1], face[n], none)\n")
    return text, cells, "u[n/2].r, u[n/2].m, u[n/2 + 1].e", {}


def join_ends(lengths, rnd):
    """Plenums of two to four ends: for each pipe the plenum at its left end and that at its right one."""
    ends = [(pipe, side) for pipe in range(len(lengths)) for side in (0, 1)]
    rnd.shuffle(ends)
    plenum, plenums = {}, 0
    while ends:
        for _ in range(min(len(ends), rnd.choice((2, 2, 3, 3, 4)))):
            plenum[ends.pop()] = plenums
        plenums += 1
    return plenum, plenums


def network(pipes):
    rnd = random.Random(pipes)
    lengths = [rnd.randint(3, 31) for _ in range(pipes)]
    plenum, plenums = join_ends(lengths, rnd)
    table = {"inner": ["l,r,f,a,b"], "left": ["p,c,f,b"], "right": ["p,c,f,a"]}
    cell = face = 0
    for pipe, length in enumerate(lengths):
        table["left"].append(f"{plenum[pipe, 0]},{cell},{face},{face + 1}")
        table["inner"] += [f"{cell + k - 1},{cell + k},{face + k},{face + k - 1},{face + k + 1}" for k in range(1, length)]
        cell, face = cell + length, face + length + 1
        table["right"].append(f"{plenum[pipe, 1]},{cell - 1},{face - 1},{face - 2}")
    # a column that nothing uses is an error: waves and fluxes have tables of their own
    files = {f"flux_{name}.csv": "\n".join(rows) + "\n" for name, rows in table.items()}
    files.update({f"waves_{name}.csv": "\n".join(",".join(row.split(",")[:3]) for row in rows) + "\n"
                  for name, rows in table.items()})
    text = f"""const dx = 0.01
const dt = 0.3*dx
{WAVES}{WAF}{FRICTION}nodes cell[{cell}] {{ store r = 1 + 0.2*sin(i)
  store m = 0
  store e = 2.5 + 0.5*sin(i) }}
nodes face[{face}] {FACES}
nodes plenum[{plenums}] {{ store r = 1; store e = 2.5; fixed m = 0 }}
{NONE}use waves(cell[l], cell[r], face[f]) from "waves_inner.csv"
use waves(plenum[p], cell[c], face[f]) from "waves_left.csv"
use waves(cell[c], plenum[p], face[f]) from "waves_right.csv"
use flux(cell[l], cell[r], face[a], face[f], face[b]) from "flux_inner.csv"
use flux(plenum[p], cell[c], none, face[f], face[b]) with kl = 0.2/dx from "flux_left.csv"
use flux(cell[c], plenum[p], face[a], face[f], none) with kr = 0.2/dx from "flux_right.csv"
use friction(cell[i]) over i in 0..{cell - 1}
"""
    return text, cell, "cell[0].r, cell[0].m, cell[100].r, plenum[0].r, plenum[0].e", files


def written(case, folder):
    """Writes a case's two texts, and returns them with its number of cells, and steps of the longer one."""
    kind, _, size = case.partition("-")
    if kind not in ("hllc", "waf", "pipes") or not size.isdigit() or int(size) < 10:
        sys.exit(f"{case}: expected hllc-CELLS, waf-CELLS or pipes-N, 10 and more of them")
    text, cells, watched, files = network(int(size)) if kind == "pipes" else tube(kind, int(size))
    steps = max(8, int(LONG / cells) // 16 * 8)
    where = os.path.join(folder, case)
    os.makedirs(where, exist_ok=True)
    for name, content in files.items():
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write(content)
    paths = []
    for name, count in (("long", steps), ("short", steps // 8)):
        paths.append(os.path.join(where, name + ".wm"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write(f"{text}run euler dt dt to {count}*dt every {count}*dt\nwatch {watched}\n")
    return paths, cells, steps


def user_seconds(program, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([program, "model", "run", path], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} model run {path}: exit status {done.returncode}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.stdout


def device_seconds(program, path, folder):
    """Seconds of the steps of a run on a device, without reading and compiling; and its rows."""
    out = os.path.join(folder, "rows.csv")
    done = subprocess.run([program, "model", "run", path, "--executor", "cuda", "--json", "-o", out],
                          stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} model run {path} --executor cuda: exit status {done.returncode}")
    with open(out, "rb") as file:
        return json.loads(done.stdout)["run_seconds"], file.read()


def measure_device(case, program, repeat, folder):
    (long, short), cells, steps = written(case, folder)
    least, rows = {}, {}
    for path in (long, short):
        for _ in range(repeat):
            seconds, rows[path] = device_seconds(program, path, folder)
            least[path] = min(seconds, least.get(path, seconds))
    core, expected = user_seconds(program, short)
    each = (least[long] - least[short])/(steps - steps // 8)
    print(",".join([case, str(cells), f"{1e9*core/(cells*(steps // 8)):.2f}", f"{1e6*each:.2f}",
                    "same" if rows[short] == expected else "different"]), flush=True)


def measure(case, programs, repeat, folder):
    (long, short), cells, steps = written(case, folder)
    least, rows = {}, {}
    for _ in range(repeat):
        for program in programs:
            for path in (long, short):
                seconds, rows[program, path] = user_seconds(program, path)
                least[program, path] = min(seconds, least.get((program, path), seconds))
    fields = [f"{1e9*(least[p, long] - least[p, short])/(cells*(steps - steps // 8)):.2f}" for p in programs]
    if len(programs) > 1:
        fields.append("same" if rows[programs[0], long] == rows[programs[1], long] else "different")
    print(",".join([case, str(cells), *fields]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warplu", default=os.path.join(ROOT, "build/tools/warplu"), metavar="FILE")
    parser.add_argument("--beside", metavar="FILE")
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--repeat", type=int, default=7, metavar="N")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("case", nargs="*", metavar="CASE")
    options = parser.parse_args()
    programs = [options.warplu] + ([options.beside] if options.beside else [])
    more = ["us on the device", "rows"] if options.device else ["ns beside", "rows"] if options.beside else []
    print(",".join(["case", "cells", "ns"] + more))
    with tempfile.TemporaryDirectory() as folder:
        for case in options.case or CASES:
            if options.device:
                measure_device(case, options.warplu, options.repeat, options.keep or folder)
                continue
            measure(case, programs, options.repeat, options.keep or folder)


if __name__ == "__main__":
    main()
