"""End values of the stiff problems in test_step_stiff.c, by SciPy's Radau at rtol 1e-12 (Van der Pol with mu = 1e6, at 1e-9).

    python3 tests/model/stiff_references.py > tests/model/stiff_references.h

Equations as in Mazzia and Magherini, Test Set for Initial Value Problem Solvers 2.4 (2008); Van der Pol's with 1/mu^2 in
scaled time."""
from math import exp, pi, sin

import numpy
from scipy.integrate import solve_ivp


def robertson(t, y):
    a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
    return [b - a, a - b - c, c]


def hires(t, y):
    s = 280.0 * y[5] * y[7]
    return [-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6], -s + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
            s - 1.81 * y[6], -s + 1.81 * y[6]]


def van_der_pol(mu):
    return lambda t, y: [y[1], mu * mu * ((1.0 - y[0] * y[0]) * y[1] - y[0])]


POLLUTION = (0.35, 26.6, 1.23e4, 8.6e-4, 8.2e-4, 1.5e4, 1.3e-4, 2.4e4, 1.65e4, 9e3, 0.022, 1.2e4, 1.88, 1.63e4, 4.8e6, 3.5e-4, 0.0175,
             1e8, 4.44e11, 1240.0, 2.1, 5.78, 0.0474, 1780.0, 3.12)
# Unknowns, from 1, whose product the rate of each reaction has.
REACTIONS = ((1,), (2, 4), (5, 2), (7,), (7,), (7, 6), (9,), (9, 6), (11, 2), (11, 1), (13,), (10, 2), (14,), (1, 6), (3,), (4,), (4,), (16,),
             (16,), (17, 6), (19,), (19,), (1, 4), (19, 1), (20,))


def pollution(t, y):
    r = [k * numpy.prod([y[i - 1] for i in of]) for k, of in zip(POLLUTION, REACTIONS)]
    r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16, r17, r18, r19, r20, r21, r22, r23, r24, r25 = r
    return [-r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25, -r2 - r3 - r9 - r12 + r1 + r21, -r15 + r1 + r17 + r19 + r22,
            -r2 - r16 - r17 - r23 + r15, -r3 + r4 + r4 + r6 + r7 + r13 + r20, -r6 - r8 - r14 - r20 + r3 + r18 + r18,
            -r4 - r5 - r6 + r13, r4 + r5 + r6 + r7, -r7 - r8, -r12 + r7 + r9, -r9 - r10 + r8 + r11, r9, -r11 + r10, -r13 + r12,
            r14, -r18 - r19 + r16, -r20, r20, -r21 - r22 - r24 + r23 + r25, -r25 + r24]


def ring_modulator(t, y):
    c, cs, cp, r, rp, lh, ls1, ls2, ls3 = 1.6e-8, 2e-12, 1e-8, 25e3, 50.0, 4.45, 2e-3, 5e-4, 5e-4
    rg1, rg2, rg3, ri, rc = 36.3, 17.3, 17.3, 50.0, 600.0

    def q(u):
        return 40.67286402e-9 * (exp(17.7493332 * u) - 1.0)
    in1, in2 = 0.5 * sin(2e3 * pi * t), 2.0 * sin(2e4 * pi * t)
    d1, d2 = q(y[2] - y[4] - y[6] - in2), q(-y[3] + y[5] - y[6] - in2)
    d3, d4 = q(y[3] + y[4] + y[6] + in2), q(-y[2] - y[5] + y[6] + in2)
    return [(y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / r) / c, (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / r) / c,
            (y[9] - d1 + d4) / cs, (-y[10] + d2 - d3) / cs, (y[11] + d1 - d3) / cs, (-y[12] - d2 + d4) / cs,
            (-y[6] / rp + d1 + d2 - d3 - d4) / cp, -y[0] / lh, -y[1] / lh, (0.5 * y[0] - y[2] - rg2 * y[9]) / ls2,
            (-0.5 * y[0] + y[3] - rg3 * y[10]) / ls3, (0.5 * y[1] - y[4] - rg2 * y[11]) / ls2,
            (-0.5 * y[1] + y[5] - rg3 * y[12]) / ls3, (-y[0] + in1 - (ri + rg1) * y[13]) / ls1, (-y[1] - (rc + rg1) * y[14]) / ls1]


START = numpy.zeros(20)
START[[1, 3, 6, 7, 8, 16]] = 0.2, 0.04, 0.1, 0.3, 0.01, 0.007
CASES = (("robertson", robertson, 40.0, [1.0, 0.0, 0.0], 1e-14), ("robertson_late", robertson, 1e11, [1.0, 0.0, 0.0], 1e-20),
         ("hires", hires, 321.8122, [1.0, 0, 0, 0, 0, 0, 0, 0.0057], 1e-14),
         ("van_der_pol_1e3", van_der_pol(1e3), 2.0, [2.0, 0.0], 1e-12), ("van_der_pol_1e6", van_der_pol(1e6), 2.0, [2.0, 0.0], 1e-9),
         ("pollution", pollution, 60.0, START, 1e-18), ("ring_modulator", ring_modulator, 1e-4, numpy.zeros(15), 1e-13))


def main():
    print("/* Written by stiff_references.py: what SciPy's Radau comes to at rtol 1e-12, van_der_pol_1e6 at 1e-9. */")
    for name, f, end, start, absolute in CASES:
        run = solve_ivp(f, (0.0, end), start, "Radau", rtol=1e-9 if name.endswith("1e6") else 1e-12, atol=absolute)
        assert run.success, name
        print(f"static const double reference_{name}[] = {{" + ", ".join(f"{v:.12e}" for v in run.y[:, -1]) + "};")


if __name__ == "__main__":
    main()
