#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What tools/release.sh checks before it makes anything, in a small repository of the files that name the version."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = "packaging/spack/spack_repo/typewarp/packages"
NAMING = ["CITATION.cff", "packaging/conda/recipe.yaml", f"{RECIPES}/typewarp/package.py", f"{RECIPES}/py_typewarp/package.py"]
VERSION = ".".join(re.findall(r"^#define TYPEWARP_VERSION_[A-Z]+ (\d+)$", (ROOT / "include/typewarp/version.h").read_text(), re.MULTILINE))


class Release(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = pathlib.Path(held.name)
        for name in ["include/typewarp/version.h", "CHANGELOG.md", "tools/release.sh", "tools/common.sh", "tools/path.sh", *NAMING]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.edit("CHANGELOG.md", rf"^## {VERSION} \(.*\)$", f"## {VERSION} (2026-12-01)")
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        person = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *person, *words], cwd=self.root, check=True, capture_output=True, timeout=60)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "All")

    def edit(self, name, expression, text):
        path = self.root / name
        changed, count = re.subn(expression, text, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        self.assertEqual(1, count, name)
        path.write_text(changed, encoding="utf-8")

    def release(self, *words):
        done = subprocess.run([self.root / "tools/release.sh", *words], capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_dry_run_makes_the_archive_alone(self):
        status, text = self.release("--dry-run")
        self.assertEqual(0, status, text)
        self.assertIn(f"{VERSION}, without a tag yet", text)
        self.assertIn(f"typewarp-{VERSION}.tar.gz", text)
        self.assertNotIn("not ready", text)
        self.assertFalse((self.root / "build").exists())

    def test_a_file_of_another_version_is_named(self):
        for name in NAMING:
            with self.subTest(name):
                before = (self.root / name).read_text(encoding="utf-8")
                self.edit(name, rf"^( *version[:(] ?\"?){re.escape(VERSION)}", r"\g<1>9.9.9")
                status, text = self.release("--dry-run")
                self.assertEqual(1, status)
                self.assertIn(f"error: {name}: does not name version {VERSION}", text)
                (self.root / name).write_text(before, encoding="utf-8")

    def test_nothing_is_made_of_what_is_not_ready(self):
        self.edit("CHANGELOG.md", r"^## .* \(2026-12-01\)$", f"## {VERSION} (not released yet)")
        self.commit()
        self.assertEqual((1, f"error: CHANGELOG.md: version {VERSION} has no date\n"), self.release())
        self.edit("CHANGELOG.md", rf"^## {VERSION} \(.*\)$", f"## {VERSION} (2026-12-01)")
        self.assertEqual((1, "error: the tree has changes that are not committed\n"), self.release())
        status, text = self.release("--dry-run")
        self.assertEqual(0, status, text)
        self.assertIn("not ready    the tree has changes", text)

    def test_the_tag_is_an_annotated_one_of_this_commit(self):
        tag = f"v{VERSION}"
        self.git("tag", tag)
        self.assertIn(f"{tag}: is no annotated tag", self.release("--dry-run")[1])
        self.git("tag", "-f", "-a", tag, "-m", tag)
        self.assertIn(f"{VERSION}, with its tag", self.release("--dry-run")[1])
        self.commit()
        self.assertIn(f"{tag}: is the tag of another commit", self.release("--dry-run")[1])


if __name__ == "__main__":
    unittest.main()
