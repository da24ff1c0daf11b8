# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes what a linker sees as an older C library: older_glibc.py <version> <folder> <compiler...>

A C library since 2.34 still has the versions of its symbols that older ones had. A linker takes the newest one. In <folder> come libraries
without code that have of each symbol the newest version that is not newer than <version>, such as 2.28. What is linked with -L<folder>
needs that C library or any later one. A symbol that <version> does not have at all stays what it is: older_glibc.cpp has those that are
used. Does nothing where the compiler's C library is older than 2.34, which has some of the symbols in other files, or not GNU's.
"""
import collections
import pathlib
import re
import subprocess
import sys

# Where they were, before 2.34 put them into libc.so.6.
MOVED = {"libdl.so.2": r"dl\w+", "librt.so.1": r"(aio|lio|mq|shm|timer)_\w+", "libpthread.so.0": r"(__)?(pthread|sem|thrd|mtx|cnd|tss)_\w+|call_once"}

Symbol = collections.namedtuple("Symbol", "name versions address size is_data is_weak")


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def number(version):
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


def symbols(library):
    """Those that have a version and are not the thread's own, by name."""
    found = {}
    for line in output("readelf", "--dyn-syms", "-W", library).splitlines():
        match = re.search(r"\d+: (\w+) +(\w+) +(\w+) +(GLOBAL|WEAK) +\w+ +(?!UND)\w+ (\w+)@@?(GLIBC_[\d.]+)$", line)
        if match and match[3] != "TLS":
            address, size, kind, binding, name, version = match.groups()
            symbol = found.setdefault(name, Symbol(name, set(), int(address, 16), int(size, 0), kind == "OBJECT", binding == "WEAK"))
            symbol.versions.add(version)
    return found.values()


def chosen(library, newest):
    """For each library that had them, its symbols with one version each."""
    of = collections.defaultdict(list)
    for symbol in symbols(library):
        old = [version for version in symbol.versions if number(version) <= newest]
        version = max(old or symbol.versions, key=number)
        is_newer = old and number(max(symbol.versions, key=number)) > newest
        moved = [home for home, pattern in MOVED.items() if is_newer and re.fullmatch(pattern, symbol.name)]
        of[(moved or [pathlib.Path(library).name])[0]].append(symbol._replace(versions=version))
    return of


def write(folder, name, entries, compiler):
    """The library of that name, with these symbols. Data has its size, since programs hold copies, and one address for all its names."""
    lines, places = [], collections.defaultdict(list)
    for position, symbol in enumerate(entries):
        kind, section = ("%object", ".bss") if symbol.is_data else ("%function", ".text")
        lines += [f".{'weak' if symbol.is_weak else 'globl'} s{position}", f".type s{position},{kind}", f".size s{position},{max(symbol.size, 1)}",
                  f".symver s{position},{symbol.name}@@{symbol.versions}"]
        places[section, symbol.address].append((position, symbol.size if symbol.is_data else 1))
    for (section, _), names in places.items():
        lines += [section, *(f"s{position}:" for position, _ in names), f".skip {max(1, *(size for _, size in names))}"]
    source, script, library = folder / f"{name}.s", folder / f"{name}.map", folder / name
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    versions = sorted({symbol.versions for symbol in entries}, key=number)
    script.write_text("".join(f"{version} {{ }};\n" for version in versions) + "OURS { local: *; };\n", encoding="utf-8")
    output(*compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", f"-Wl,--version-script={script}", "-o", library, source)
    return library


def main():
    newest, folder, compiler = number(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    libc, libm, script = (output(*compiler, f"-print-file-name={name}").strip() for name in ("libc.so.6", "libm.so.6", "libc.so"))
    if not pathlib.Path(libc).is_absolute():  # not the GNU C library
        return
    if not any(number(version) >= (2, 34) for symbol in symbols(libc) for version in symbol.versions):
        return
    folder.mkdir(parents=True, exist_ok=True)
    made = {name: write(folder, name, entries, compiler) for name, entries in {**chosen(libm, newest), **chosen(libc, newest)}.items()}
    (folder / "libm.so").write_text(f'INPUT ( "{made["libm.so.6"]}" )\n', encoding="utf-8")
    # The rest is as the C library's own script says.
    others = " ".join(f'"{made[name]}"' for name in MOVED)
    group = re.sub(r"\S*/libc\.so\.6", f'"{made["libc.so.6"]}" AS_NEEDED ( {others} )', pathlib.Path(script).read_text(encoding="utf-8"))
    (folder / "libc.so").write_text(group, encoding="utf-8")


main()
