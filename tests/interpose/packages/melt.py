# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The real LAMMPS: its benchmark of a Lennard-Jones liquid that melts, each rank a process of LAMMPS. What it counts and computes is
printed, and the time of all its time steps.

usage: melt.py <lmp> <unit cells of an edge> <time steps>
"""
import re
import subprocess
import sys
import tempfile

lmp, cells, steps = sys.argv[1:]
INPUT = f"""
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix integrate all nve
thermo 10
run {steps}
"""
# Of what it prints: temperatures, energies and pressures, and how atoms, ghosts and neighbours are spread.
KEPT = re.compile(r"Created \d+ atoms|.* MPI processor grid|Step .*|\s*\d+( +[-0-9.e]+)+ *|(Nlocal|Nghost|Neighs|Histogram|Total #|Neighbor list builds).*")
SECONDS = re.compile(r"Loop time of ([0-9.]+)")

with tempfile.NamedTemporaryFile("w", suffix=".lj") as written:
    written.write(INPUT)
    written.flush()
    done = subprocess.run([lmp, "-in", written.name, "-log", "none", "-nocite"], stdout=subprocess.PIPE, text=True, check=False)
for line in done.stdout.splitlines():
    if KEPT.fullmatch(line):
        print(line)
    if seen := SECONDS.match(line):
        print(f"time steps: {1e3 * float(seen[1]):.3f} ms")
sys.stdout.flush()
if done.returncode == 0 and not re.search(r"^Step .*\n\s*0 ", done.stdout, re.MULTILINE):
    sys.exit("LAMMPS printed no table of its steps")
sys.exit(done.returncode)
