#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""tools/check_sources.py finds what it is there to find, and nothing else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_sources.py"
HEADER = "// Copyright (c) 2026 The Typewarp Authors\n// SPDX-License-Identifier: BSD-3-Clause\n"


class CheckSources(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            ran = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True, check=False)
            self.assertIn(ran.returncode, (0, 1), ran.stderr)
            return ran.stdout if ran.returncode else ""

    def test_accepts_what_the_rule_allows(self):
        self.assertEqual("", self.check({
            "src/plan/a.cpp": HEADER + '#include "layout/b.hpp"\n#include <typewarp/plan.hpp>\n#include <vector>\n',
            "src/engine/gpu/cuda/a.cu": HEADER + '#include "plan/a.hpp"\n#include <cuda_runtime.h>\n#include <typewarp/engine.hpp>\n',
            "src/transport/a.cpp": HEADER + '#include "engine/gpu/gpu.hpp"\n#include <mpi.h>\n',
            "include/typewarp/mpi.hpp": HEADER + "#include <typewarp/datatype.hpp>\n#include <mpi.h>\n",
            "include/typewarp/halo.h": HEADER + "#include <typewarp/result.h>\n#include <mpi.h>\n#include <stdint.h>\n",
            "bench/host/a.cpp": HEADER + '#include "host/b.hpp"\n#include <typewarp/host.hpp>\n#include <CLI/CLI.hpp>\n',
        }))

    def test_reports_each_breach(self):
        for path, line in [
            ("src/layout/a.cpp", '#include "plan/b.hpp"'),
            ("src/layout/a.cpp", "#include <typewarp/engine.hpp>"),
            ("src/layout/a.cpp", 'const char* a = std::getenv("TYPEWARP_TAKE");'),
            ("src/layout/a.cpp", '#include "b.hpp"'),
            ("src/engine/host/a.cpp", '#include "engine/gpu/b.hpp"'),
            ("src/plan/a.cpp", "#include <cuda_runtime.h>"),
            ("src/engine/a.cpp", "#include <mpi.h>"),
            ("src/unknown/a.cpp", "#include <vector>"),
            ("include/typewarp/plan.hpp", '#include "plan/b.hpp"'),
            ("include/typewarp/plan.hpp", "#include <mpi.h>"),
            ("include/typewarp/halo.h", "#include <typewarp/halo.hpp>"),
            ("include/typewarp/halo.h", "#include <vector>"),
            ("bench/host/a.cpp", '#include "plan/b.hpp"'),
            ("apps/x/a.cpp", '#include "../../src/plan/b.hpp"'),
        ]:
            with self.subTest(path=path, line=line):
                report = self.check({path: HEADER + line + "\n", "src/plan/b.hpp": HEADER})
                self.assertIn(f"{path}:3: {line}", report)
                self.assertEqual(1, len(report.splitlines()), report)

    def test_reports_folders_that_include_each_other(self):
        report = self.check({
            "src/transport/a/one.cpp": HEADER + '#include "transport/b/two.hpp"\n',
            "src/transport/b/two.hpp": HEADER,
            "src/transport/b/two.cpp": HEADER + '#include "transport/a/one.hpp"\n',
            "src/transport/a/three.cpp": HEADER + '#include "transport/a/one.hpp"\n#include "transport/c/four.hpp"\n',
        })
        self.assertEqual("src/transport/a/one.cpp:3: src/transport/a and src/transport/b include each other "
                         "(src/transport/b/two.cpp:3)\n", report)

    def test_reports_names_of_cuda_outside_of_its_folder(self):
        for path, line in [
            ("src/transport/a.cpp", "// CUDA is asked once."),
            ("src/plan/a.hpp", "void cuda_copy();"),
            ("src/plan/a.hpp", '#include "plan/cuda_copy.hpp"'),
            ("include/typewarp/plan.hpp", "/// As cudaMemcpyAsync() does."),
        ]:
            with self.subTest(path=path, line=line):
                report = self.check({path: HEADER + line + "\n"})
                self.assertIn(f"{path}:3: ", report)
                self.assertIn("only src/engine/gpu names CUDA", report)
        self.assertEqual("", self.check({
            "src/engine/gpu/cuda/a.cpp": HEADER + "// CUDA's own.\n",
            "src/plan/a.hpp": HEADER + "#ifdef __CUDACC__\n",
            "include/typewarp/plan.hpp": HEADER + "/// A cudaStream_t.\n",
            "tests/plan/a.cpp": HEADER + "// CUDA\n",
        }))

    def test_reports_missing_header_lines_and_long_files(self):
        self.assertIn("header lines", self.check({"src/plan/a.cpp": "int x;\n"}))
        self.assertIn("header lines", self.check({"tests/CMakeLists.txt": "project(x)\n"}))
        self.assertIn("401 lines", self.check({"src/plan/a.cpp": HEADER + "\n" * 399}))
        self.assertEqual("", self.check({"tools/a.py": "#!/usr/bin/env python3\n" + HEADER.replace("//", "#")}))


if __name__ == "__main__":
    unittest.main()
