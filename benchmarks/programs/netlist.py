"""A netlist for VACASK: a mesh of wires, each a resistor with a capacitor at its node, that inverters tap and drive, as extraction makes of a
layout. It needs the device models of the simulator's package alone."""

HEAD = """Mesh of wires with inverters

load "spice/resistor.osdi"
load "spice/capacitor.osdi"
load "spice/mos1.osdi"
model v vsource
model r sp_resistor
model c sp_capacitor
model n sp_mos1 (type=1 vto=0.5 kp=200u lambda=0.05 gamma=0.4 phi=0.7)
model p sp_mos1 (type=-1 vto=-0.5 kp=80u lambda=0.05 gamma=0.4 phi=0.7)
subckt inverter (in out vdd)
  mp (out in vdd vdd) p w=4u l=0.5u
  mn (out in 0 0) n w=2u l=0.5u
ends
vdd (vdd 0) v dc=1.8
vin (in 0) v type="pulse" val0=0 val1=1.8 delay=0.1n rise=0.1n fall=0.1n width=2n period=4n
rin (in m0_0) r r=50
"""


def mesh(size, inverters, stop):
    lines = []
    for i in range(size):
        for j in range(size):
            lines.append(f"c{i}_{j} (m{i}_{j} 0) c c=1f")
            if i + 1 < size:
                lines.append(f"rh{i}_{j} (m{i}_{j} m{i + 1}_{j}) r r=20")
            if j + 1 < size:
                lines.append(f"rv{i}_{j} (m{i}_{j} m{i}_{j + 1}) r r=20")
    for k in range(inverters):
        i, j = (37 * k + 11) % size, (53 * k + 7) % size
        lines += [f"u{k} (m{i}_{j} o{k} vdd) inverter", f"ro{k} (o{k} m{(i + size // 2) % size}_{(j + size // 3) % size}) r r=2k",
                  f"co{k} (o{k} 0) c c=2f"]
    saved = " ".join(f"v(m{k}_{k})" for k in range(0, size, size // 6))
    lines += ["control", '  options tran_method="trap"', f"  save {saved}",
              f"  analysis tran1 tran step=0.02n stop={stop} maxstep=0.02n", "  print stats", "endc", ""]
    return HEAD + "\n".join(lines)
