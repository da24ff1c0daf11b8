# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Records pieces, one after the other, within a time. A piece is a result file and the command that writes it. What
is finished stays; what was cut goes on, on this or another machine of the same kind; files of other sources or
machines are never mixed with it."""

import dataclasses
import datetime
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time

from parts import gpus, machine, source
from running import ROOT, gpu_machine

RECORD = "record.json"
SHORTEST_S = 3  # a piece is not begun with less
GRACE_S = 90  # in which a command ends by itself: benchmarks wait so long for their last row
FINISHED, CUT, FAILED, MISSING, CANNOT = "finished", "cut", "failed", "missing", "cannot be run here"


@dataclasses.dataclass
class Piece:
    """{seconds}, {output} and {folder} in the command stand for its time, its file and that file's folder. With the
    options `resume` it goes on with the file that is there."""

    name: str
    command: list
    seconds: float  # that it takes if nothing cuts it
    file: str = ""
    gpus: int = 0
    needs: tuple = ()  # programs on the PATH, or paths
    resume: tuple = ()

    def __post_init__(self):
        self.file = self.file or f"{self.name}.json"

    def hindrance(self):
        """Why it cannot be run here; empty if it can."""
        if gpus() < self.gpus:
            return f"{gpus()} of {self.gpus} GPUs" if gpus() else "no GPU"
        return "".join(f"no {pathlib.Path(need).name}" for need in self.needs if not shutil.which(need))


def machine_name():
    """That of the folder of its results."""
    return gpu_machine(gpus()) or f"{os.cpu_count()}core-host"


def kind():
    """What machines share whose results may stand beside each other."""
    here = machine()
    return {name: here[name] for name in (("gpu", "gpus") if here["gpus"] else ("cpu",))}


def same_source(one, other):
    """Whether or not it was committed, or came with its repository, a hash names what the sources held."""
    return one.partition("-")[0] == other.partition("-")[0]


def read(file):
    """The result; None if there is none, or half of one."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def output_of(command, log, seconds):
    """Runs it with its output in a file; what is wrong with its end, else nothing. Its whole process group ends with
    it."""
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, cwd=ROOT
        )
        try:
            status = process.wait(seconds)
            return f"exit status {status}" if status else ""
        except subprocess.TimeoutExpired:
            return f"did not end in {seconds:.0f} s"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def fair_share(left, needs):
    """The most that each may take, so that together they take what is left: nobody has more and needs less."""
    for i, need in enumerate(sorted(needs)):
        equal_part = left / (len(needs) - i)
        if need > equal_part:
            return equal_part
        left -= need
    return max(needs)


class Record:
    """Of these sources and this kind of machine; with `as_kept` of those that the record in the folder names, to which
    nothing can be added."""

    def __init__(self, folder, pieces, script, as_kept=False):
        self.folder, self.pieces = folder, pieces
        earlier = read(folder / RECORD) or {}
        self.as_kept = as_kept and bool(earlier)
        self.of = earlier if self.as_kept else {"source": source(), "machine": kind()}
        self.command = shlex.join([script, *sys.argv[1:]])
        known = self.is_ours(earlier) and earlier["machine"] == self.of["machine"]
        self.notes = {note["piece"]: note for note in earlier["pieces"]} if known else {}

    def is_ours(self, result):
        """Of these sources, and of such a machine as far as it says."""
        of = result.get("machine", {})
        return same_source(result.get("source", ""), self.of["source"]) and all(
            of.get(name, here) == here for name, here in self.of["machine"].items()
        )

    def hindrance(self, piece):
        if not self.as_kept:
            return piece.hindrance()
        note = self.notes.get(piece.name, {})
        return note["why"] if note.get("state") == CANNOT else ""

    def strangers(self):
        """Files of pieces that are of other sources or machines."""
        found = {file: read(self.folder / file) for file in self.files()}
        return [file for file, result in found.items() if result is not None and not self.is_ours(result)]

    def files(self):
        return dict.fromkeys([RECORD, *(piece.file for piece in self.pieces)])

    def remove(self, is_wanted):
        """Takes away the files for which is_wanted(name, whether it is of other sources or machines)."""
        strangers = self.strangers()
        for file in self.files():
            if is_wanted(file, file in strangers):
                (self.folder / file).unlink(missing_ok=True)

    def state(self, piece):
        """(state, why)"""
        result = read(self.folder / piece.file)
        if result is None or not self.is_ours(result):
            if self.hindrance(piece):
                return CANNOT, self.hindrance(piece)
            note = self.notes.get(piece.name)
            return (note["state"], note["why"]) if note and note["state"] == FAILED else (MISSING, "")
        stopped = result.get("stopped")
        if stopped or not (result.get("complete", True) or result.get("failed")):
            return CUT, "; ".join(
                [stopped] if isinstance(stopped, str) else stopped or ["says that it is not complete"]
            )
        failed = result.get("failed")
        return FINISHED, f"{failed if isinstance(failed, int) else len(failed)} failed" if failed else ""

    def run(self, seconds, split, names):
        """Of the pieces of these names those that are not finished. With `split` the pieces share the time: short ones
        have what they take, and long ones equal parts of the rest. Else only those are begun that it suffices for."""
        end = time.monotonic() + seconds
        states = {piece.name: self.state(piece)[0] for piece in self.pieces}
        wanted = sorted(
            (piece for piece in self.pieces if piece.name in names and states[piece.name] not in (FINISHED, CANNOT)),
            key=lambda piece: (MISSING, CUT, FAILED).index(states[piece.name]),
        )
        begun = 0
        for i, piece in enumerate(wanted):
            left = end - time.monotonic()
            most = fair_share(left, [later.seconds for later in wanted[i:]]) if split else piece.seconds
            if left < SHORTEST_S or (not split and most > left and begun):
                continue
            begun += 1
            most = max(min(most, left, piece.seconds), SHORTEST_S)
            print(
                f"[{seconds - left:4.0f} s] {i + 1} of {len(wanted)}: {piece.name}, for {most:.0f} s at most",
                file=sys.stderr,
            )
            self.run_piece(piece, most)
            self.write()
        return self.write()

    def run_piece(self, piece, seconds):
        file = self.folder / piece.file
        file.parent.mkdir(parents=True, exist_ok=True)
        log = ROOT / "build/logs" / f"record-{piece.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        cut = self.state(piece)[0] == CUT
        earlier = file.with_suffix(".earlier")
        if cut:
            shutil.copy(file, earlier)
        if not (cut and piece.resume):
            file.unlink(missing_ok=True)
        options = piece.resume if cut else ()
        told = {"seconds": f"{seconds:.1f}", "output": file, "folder": file.parent}
        # From the root, since a result says how it was made, and not where.
        words = [str(word).format(**told).replace(f"{ROOT}/", "") for word in (*piece.command, *options)]
        start = time.monotonic()
        try:
            wrong = output_of(words, log, seconds + GRACE_S)
        finally:
            if earlier.exists():
                keep_fuller(earlier, file)
        note = {"piece": piece.name, "state": FAILED, "why": f"{wrong or 'wrote no result'}, see build/logs/{log.name}"}
        self.notes[piece.name] = {**note, "seconds": round(time.monotonic() - start, 1)}
        state, why = self.state(piece)
        print(
            f"         {piece.name}: {state}{f' ({why})' if why else ''}, {time.monotonic() - start:.0f} s",
            file=sys.stderr,
        )

    def write(self):
        """Writes what the record holds, in the format of all results, and returns it."""
        states = {piece.name: self.state(piece) for piece in self.pieces}
        listed = [
            {
                "piece": piece.name,
                "state": states[piece.name][0],
                "why": states[piece.name][1],
                "file": piece.file,
                "seconds": self.notes.get(piece.name, {}).get("seconds"),
            }
            for piece in self.pieces
        ]

        def of(*wanted):
            return [
                f"{name}: {state}{f': {why}' if why else ''}"
                for name, (state, why) in states.items()
                if state in wanted
            ]

        result = {
            "machine": self.of["machine"],
            "source": self.of["source"],
            "date": self.of.get("date") or datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "command": self.of.get("command") or self.command,
            "complete": not of(CUT, FAILED, MISSING),
            "stopped": of(CUT, MISSING),
            "failed": of(FAILED),
            "skipped": of(CANNOT),
            "pieces": listed,
            "rows": [],
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / RECORD).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        return result


def add_options(parser, folder, of):
    """Options of scripts that record: their folder is by default this one below bench/results, `of` the pieces."""
    parser.add_argument(
        "--bin",
        type=pathlib.Path,
        default=ROOT / "build/release/bin",
        help="folder of the programs (default: %(default)s)",
    )
    parser.add_argument("--machine", default=machine_name(), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--folder", type=pathlib.Path, help=f"default: bench/results/{folder.format('<machine>')}")
    parser.add_argument("--seconds", type=float, default=560, help="for this call (default: %(default)s)")
    parser.add_argument("--only", default="", help=f"{of}, with commas between")


def fill_in(arguments, folder):
    """Of these options, what is the default, and paths and names as such."""
    arguments.bin = arguments.bin.resolve()
    arguments.folder = (arguments.folder or ROOT / "bench/results" / folder.format(arguments.machine)).resolve()
    arguments.only = list(filter(None, arguments.only.split(",")))


def end(result, wrote, of):
    """Says what has not come to its end, and what was written; the exit status tells of failures."""
    for text in (*result["stopped"], *result["failed"], *result["skipped"]):
        print(text)
    print(f"wrote {wrote}")
    if result["failed"]:
        sys.exit(f"{len(result['failed'])} {of} failed, see above")


def keep_fuller(earlier, file):
    """Of two results the one with more rows: a piece that was cut may have come less far than before."""
    ours, theirs = read(file), read(earlier)
    if ours is None or len(ours.get("rows", [])) < len(theirs.get("rows", [])):
        earlier.replace(file)
    else:
        earlier.unlink()
