# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""One report of all figures: what a paper says of each, what was run, plot, table, and whether the statement holds.
As Markdown, and as one file of HTML that needs no other. Both are made of the same blocks: tuples of their kind and
what they hold."""

import base64
import html
import os

from claims import DOES_NOT, HOLDS, NOT_MEASURED, label
from plots import draw, panels, x_name
from recording import CANNOT, CUT, FAILED, FINISHED, MISSING, read

PICTURES = "pictures"  # the folder of those of a report, beside it
STYLE = (
    "body{font:15px/1.45 sans-serif;max-width:75em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}"
    "th,td{border:1px solid #bbb;padding:.25em .5em;text-align:left;vertical-align:top}"
    "th{background:#eee}img{max-width:100%}"
    "summary{cursor:pointer}code{background:#f3f3f3}"
)


def piece_of(figure, record):
    return next(piece for piece in record.pieces if piece.name == figure.name)


def best_of(figure, records):
    """The first of the records that has the figure whole, else the first that has a part of it, else that knows most of
    it."""
    states = [record.state(piece_of(figure, record))[0] for record in records]
    return records[min(range(len(records)), key=lambda i: (FINISHED, CUT, FAILED, MISSING, CANNOT).index(states[i]))]


def judged(figure, record):
    """[(statement, rule, verdict, why)] of a figure."""
    piece = piece_of(figure, record)
    state, why = record.state(piece)
    if state not in (FINISHED, CUT):
        verdict = NOT_MEASURED if state == MISSING else state
        return [(claim.text, claim.rule, verdict, why) for claim in figure.claims]
    result = read(record.folder / piece.file)
    lines = []
    for claim in figure.claims:
        verdict, numbers = claim.verdict(result)
        if verdict == NOT_MEASURED and not result["machine"].get("gpu"):
            verdict, numbers = CANNOT, "no GPU"
        cut = "; the result was cut" if state == CUT else ""
        reason = f"{claim.because} ({numbers}{cut})" if verdict == DOES_NOT else f"{numbers}{cut}"
        lines.append((claim.text, claim.rule, verdict, reason))
    return lines


def told(verdict, why):
    if verdict == DOES_NOT:
        return f"does not, because {why}"
    return f"{verdict}{f': {why}' if why else ''}"


def tables(figure, result):
    """Of each panel, a line for each series."""
    for panel, lines in panels(figure, result).items():
        places = list(dict.fromkeys(x for points in lines.values() for x in points))
        places.sort(key=lambda x: (0, "") if isinstance(x, str) else (x, ""))
        yield ("paragraph", panel)
        yield (
            "table",
            [
                f"{figure.unit}, by {figure.x_label}" if figure.x_label else figure.unit,
                *(x_name(figure, x) for x in places),
            ],
            [[line, *(f"{points[x]:.4g}" if x in points else "" for x in places)] for line, points in lines.items()],
        )


def targets(figure, result):
    """A line for each row that a target of this project is for."""
    for target, values in figure.targets:
        for row, value, wanted, is_met in values(result["rows"]):
            yield [target, label(row), f"{value:.3g}", f"{wanted:g}", "" if is_met else "missed"]


def blocks_of(figure, record, lines, is_own):
    yield ("heading", 2, figure.title)
    piece = piece_of(figure, record)
    state, why = record.state(piece)
    result = read(record.folder / piece.file) if state in (FINISHED, CUT) else None
    ran = "Not run"
    if result:
        ran = f"Ran `{result['command']}` on {machine(record)}, {result['date'][:10]}, {len(result['rows'])} rows"
    yield ("paragraph", f"{ran}: {state}{f' ({why})' if why else ''}.")
    yield (
        "table",
        ["the paper says", "it holds if", "here"],
        [[text, rule, told(verdict, why)] for text, rule, verdict, why in lines],
    )
    if result and (lines_of_targets := list(targets(figure, result))):
        yield ("details", "This project's targets", [("table", ["target", "row", "here", "wanted", ""], lines_of_targets)])
    if result and result["rows"]:
        picture = record.folder / PICTURES / f"{figure.name}.png"
        if (picture.exists() and not is_own) or draw(figure, result, picture):
            yield ("picture", picture, figure.title)
        else:
            yield ("paragraph", "No plot: matplotlib is not here.")
        yield ("details", "The numbers", list(tables(figure, result)))


def machine(record):
    of = record.of["machine"]
    return f"{of['gpus']} x {of['gpu']}" if "gpu" in of else of["cpu"]


def blocks(figures, records):
    of = {figure.name: best_of(figure, records) for figure in figures}
    found = {figure.name: judged(figure, of[figure.name]) for figure in figures}
    verdicts = [verdict for lines in found.values() for _, _, verdict, _ in lines]
    counts = ", ".join(
        f"{verdict}: {verdicts.count(verdict)}" for verdict in dict.fromkeys([HOLDS, DOES_NOT, *verdicts])
    )
    yield ("heading", 1, "What the papers say, measured here")
    yield (
        "paragraph",
        "On "
        + ", and ".join(f"{machine(record)} (sources `{record.of['source'][:8]}`)" for record in records)
        + f". Of {len(verdicts)} statements, {counts}.",
    )
    yield (
        "table",
        ["figure", "the paper says", "here"],
        [
            [figure.title.split(": ")[0], text, verdict]
            for figure in figures
            for text, _, verdict, _ in found[figure.name]
        ],
    )
    for figure in figures:
        record = of[figure.name]
        yield from blocks_of(figure, record, found[figure.name], record is records[0])


def cell(text):
    return text.replace("|", "\\|")


def markdown(block, folder):
    kind, *rest = block
    if kind == "heading":
        return f"{'#' * rest[0]} {rest[1]}"
    if kind == "picture":
        return f"![{rest[1]}]({os.path.relpath(rest[0], folder)})"
    if kind == "details":
        held = "\n\n".join(markdown(each, folder) for each in rest[1])
        return f"<details><summary>{rest[0]}</summary>\n\n{held}\n\n</details>"
    if kind == "table":
        lines = [rest[0], ["---"] * len(rest[0]), *rest[1]]
        return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines)
    return rest[0]


def in_html(block):
    kind, *rest = block
    if kind == "heading":
        return f"<h{rest[0]}>{html.escape(rest[1])}</h{rest[0]}>"
    if kind == "picture":
        data = base64.b64encode(rest[0].read_bytes()).decode()
        return f'<img alt="{html.escape(rest[1])}" src="data:image/png;base64,{data}">'
    if kind == "details":
        return f"<details><summary>{html.escape(rest[0])}</summary>{''.join(map(in_html, rest[1]))}</details>"
    if kind == "table":
        head, *lines = [
            "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in line)
            for tag, line in (("th", rest[0]), *(("td", line) for line in rest[1]))
        ]
        return "<table>" + "".join(f"<tr>{line}</tr>" for line in (head, *lines)) + "</table>"
    parts = rest[0].split("`")  # code stands between two
    return (
        "<p>"
        + "".join(f"<code>{html.escape(part)}</code>" if i % 2 else html.escape(part) for i, part in enumerate(parts))
        + "</p>"
    )


def write(figures, records):
    """Writes report.md and report.html into the folder of the first record, and returns the paths. What it has not
    measured is that of the others."""
    made = list(blocks(figures, records))
    folder = records[0].folder
    paths = [folder / f"report.{suffix}" for suffix in ("md", "html")]
    paths[0].write_text("\n\n".join(markdown(block, folder) for block in made) + "\n", encoding="utf-8")
    paths[1].write_text(
        f"<!doctype html><meta charset=utf-8><title>{html.escape(made[0][2])}</title><style>{STYLE}</style>\n"
        + "\n".join(map(in_html, made))
        + "\n",
        encoding="utf-8",
    )
    return paths
