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
    def check(self, files, *options):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            ran = subprocess.run([sys.executable, TOOL, folder, *options], capture_output=True, text=True, check=False)
            self.assertIn(ran.returncode, (0, 1), ran.stderr)
            return ran.stdout if ran.returncode else ""

    def test_accepts_what_the_rule_allows(self):
        self.assertEqual("", self.check({
            "src/plan/a.cpp": HEADER + '#include "layout/b.hpp"\n#include <typewarp/plan.hpp>\n#include <vector>\n',
            "src/engine/runtime/cuda/a.cu": HEADER + '#include "plan/a.hpp"\n#include <cuda_runtime.h>\n#include <typewarp/engine.hpp>\n',
            "src/transport/a.cpp": HEADER + '#include "engine/device/gpu.hpp"\n#include <mpi.h>\n',
            "include/typewarp/mpi.hpp": HEADER + "#include <typewarp/datatype.hpp>\n#include <mpi.h>\n",
            "include/typewarp/halo.h": HEADER + "#include <typewarp/result.h>\n#include <mpi.h>\n#include <stdint.h>\n",
            "bench/host/a.cpp": HEADER + '#include "host/b.hpp"\n#include <typewarp/host.hpp>\n#include <CLI/CLI.hpp>\n',
        }))

    def test_leaves_environments_of_python_alone(self):
        files = {"env/lib/a.py": "import os\n", "env/pyvenv.cfg": "home = /usr/bin\n"}
        self.assertEqual("", self.check(files))
        del files["env/pyvenv.cfg"]
        self.assertIn("env/lib/a.py", self.check(files))

    def test_reports_each_breach(self):
        for path, line in [
            ("src/layout/a.cpp", '#include "plan/b.hpp"'),
            ("src/layout/a.cpp", "#include <typewarp/engine.hpp>"),
            ("src/layout/a.cpp", 'const char* a = std::getenv("TYPEWARP_TAKE");'),
            ("src/layout/a.cpp", '#include "b.hpp"'),
            ("src/engine/host/a.cpp", '#include "engine/device/b.hpp"'),
            ("src/engine/device/a.cu", "#include <cuda_runtime.h>"),
            ("src/engine/device/a.cu", '#include "engine/runtime/cuda/b.hpp"'),
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

    def test_reports_folders_that_include_each_other_in_a_circle(self):
        report = self.check({
            "src/transport/a/one.cpp": HEADER + '#include "transport/b/two.hpp"\n',
            "src/transport/b/two.cpp": HEADER + '#include "transport/c/four.hpp"\n',
            "src/transport/c/four.cpp": HEADER + '#include "transport/a/one.hpp"\n',
            "src/transport/a/three.cpp": HEADER + '#include "transport/a/one.hpp"\n#include "transport/d/four.hpp"\n',
            "src/transport/e/five.cpp": HEADER + '#include "transport/a/one.hpp"\n',
        })
        self.assertEqual("folders include each other in a circle: src/transport/a/one.cpp:3: src/transport/a includes src/transport/b; "
                         "src/transport/b/two.cpp:3: src/transport/b includes src/transport/c; "
                         "src/transport/c/four.cpp:3: src/transport/c includes src/transport/a\n", report)

    # 12 members and 20 methods. What stands between them is neither.
    LARGE = HEADER + """class Large final : public Base<int> {
 public:
  /// A comment; with { a brace.
  using Map = std::map<int, int>;
  enum class Colour { red, green };
  struct Inner { int x, y; void run(); };
  Large() : a_(1), b_("};") {}
  explicit Large(int);
  ~Large();
  Large& operator=(const Large&) = delete;
  friend bool operator==(const Large&, const Large&) = default;
  static constexpr int size = 3;
  static_assert(size == 3);
""" + "".join(f"  [[nodiscard]] std::function<void(int)> method{i}(std::function<int(char)> f = {{}}) const noexcept {{ if (f) {{ g(); }} }}\n"
                for i in range(18)) + """  template <class T, class U>
  static T of(U);
  bool operator<(const Large&) const;

 private:
  int a_ = f(1), b_{2};
  std::map<int, std::vector<int>> c_;
  std::function<void(int, int)> d_;
  void (*e_)(int) = nullptr;
  alignas(64) std::atomic<int> f_{0};
  mutable std::mutex g_;
  struct { int p; } h_;
  const char* i_ = "a;b";
  std::array<int, (1 << 3)> j_{};
  unsigned k_ : 3;
  Inner* l_;
};
"""

    def test_a_class_at_its_limits(self):
        self.assertEqual("", self.check({"src/plan/a.hpp": self.LARGE}))

    def test_a_class_beyond_its_limits(self):
        more = self.LARGE.replace("  Inner* l_;", "  Inner* l_;\n  int m_;\n  void another();")
        self.assertEqual("Large (src/plan/a.hpp) has 13 members, more than 12\nLarge (src/plan/a.hpp) has 21 methods, more than 20\n",
                         self.check({"src/plan/a.hpp": more}))

    def test_a_table_of_functions(self):
        functions = "".join(f"  Status (*call{i})(void*, int (*)(int), std::size_t*);\n" for i in range(13))
        self.assertEqual("", self.check({"src/plan/a.hpp": HEADER + f"struct Api {{\n{functions}}};\n"}))
        self.assertEqual("Api (src/plan/a.hpp) has 14 members, more than 12\n",
                         self.check({"src/plan/a.hpp": HEADER + f"struct Api {{\n{functions}  int version;\n}};\n"}))

    def test_a_folder_beyond_its_limit(self):
        files = {f"src/plan/a{i}.hpp": HEADER for i in range(40)}
        self.assertEqual("", self.check(files))
        self.assertEqual("src/plan has 41 files, more than 40\n", self.check({**files, "src/plan/b.hpp": HEADER}))

    def test_a_name_defined_twice(self):
        files = {"src/plan/a.hpp": HEADER + "struct Part;\nstruct Part {};\ntemplate <> struct Part<int> {};\nvoid f(struct Part);\n",
                 "src/layout/b.cpp": HEADER + "struct Part f() {\n  return {};\n}\n"}
        self.assertEqual("", self.check(files))
        self.assertEqual("Part is defined 2 times (src/layout/c.cpp, src/plan/a.hpp), more than 1\n",
                         self.check({**files, "src/layout/c.cpp": HEADER + "namespace b {\nenum Part : int { one };\n}\n"}))
        inside = "class B {\n  enum Part : int { one };\n};\nstruct C::Part {};\n"
        self.assertEqual("", self.check({**files, "src/layout/c.cpp": HEADER + inside}))

    def test_state_without_an_owner(self):
        for text, name in [("std::atomic<bool> is_open = false;", "is_open"),
                           ("constinit std::array<char, 9> path{};", "path"),
                           ("thread_local int* last;", "last"),
                           ("auto& files = *new Files;", "files"),
                           ("Files& all() {\n  static NeverDestroyed<Files> instance;\n}", "instance"),
                           ("class A {\n  inline static constinit A* current_ = nullptr;\n};", "current_")]:
            with self.subTest(text=text):
                report = self.check({"src/plan/a.cpp": HEADER + text + "\n"})
                self.assertIn(f"src/plan has 1 objects that can change and have no owner ({name})", report)
        for text in ["constexpr int most = 9;", "const Table table{};", "extern int everywhere;", "using Files = std::map<int, int>;",
                     "int f();", "int f() {\n  int local = 3;\n  static const int once = 4;\n  return local;\n}",
                     "struct A {\n  int member = 3;\n  static int f() { return 3; }\n};", "std::mutex* const fixed = nullptr;"]:
            with self.subTest(text=text):
                self.assertEqual("", self.check({"src/plan/a.cpp": HEADER + text + "\n"}))

    def test_attributes(self):
        one = HEADER + "void f() { PMPI_Comm_create_keyval(a, b, c, d); }\n"
        self.assertEqual("", self.check({"src/mpi/a.cpp": one}))
        self.assertIn("2 attributes of MPI_Comm are ours", self.check({"src/mpi/a.cpp": one, "src/mpi/b.cpp": one}))

    def test_exceptions_may_only_shrink(self):
        twice = {"src/plan/a.hpp": HEADER + "struct Part {};\n", "src/plan/b.hpp": HEADER + "struct Part {};\n"}

        def exceptions(number):
            return {"tools/exceptions.toml": f"[types]\nPart = {number}\n"}
        self.assertEqual("", self.check({**twice, **exceptions(2)}, "--strict"))
        self.assertEqual("", self.check({**twice, **exceptions(3)}))
        self.assertIn("[types] Part = 3: write 2", self.check({**twice, **exceptions(3)}, "--strict"))
        self.assertIn("[types] Other = 2: delete it", self.check({"tools/exceptions.toml": "[types]\nOther = 2\n"}, "--strict"))
        self.assertIn("more than 2, the exception", self.check({**twice, "src/plan/c.hpp": HEADER + "struct Part {};\n", **exceptions(2)}))

    def test_reports_names_of_cuda_outside_of_its_folder(self):
        for path, line in [
            ("src/transport/a.cpp", "// CUDA is asked once."),
            ("src/plan/a.hpp", "void cuda_copy();"),
            ("src/engine/device/a.hpp", "void cuda_copy();"),
            ("src/engine/runtime/a.hpp", "void cuda_copy();"),
            ("src/plan/a.hpp", '#include "plan/cuda_copy.hpp"'),
            ("include/typewarp/plan.hpp", "/// As cudaMemcpyAsync() does."),
        ]:
            with self.subTest(path=path, line=line):
                report = self.check({path: HEADER + line + "\n"})
                self.assertIn(f"{path}:3: ", report)
                self.assertIn("only runtimes and kernels name CUDA", report)
        self.assertEqual("", self.check({
            "src/engine/runtime/cuda/a.cpp": HEADER + "// CUDA's own.\n",
            "src/engine/device/a.cu": HEADER + "// CUDA's own.\n",
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
