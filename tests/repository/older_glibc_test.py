#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: older_glibc_test.py COMPILER FOLDER

A program that is linked as a wheel is (cmake/older_glibc.py) needs no C library after 2.28, and does here what it does otherwise.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
NEWEST = (2, 28)
PROGRAM = r"""
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

extern char** environ;
static int constructed = 0;
static const int by_constructor = [] { return ++constructed; }();

int main(int count, char** words) {
  int wrong = 0;
  const auto check = [&](bool holds, const char* what) {
    if (!holds) std::printf("not so: %s\n", what), ++wrong;
  };
  check(constructed == 1 && by_constructor == 1 && count == 3, "constructors run once");
  check(environ != nullptr && environ[0] != nullptr, "environ");

  struct stat of_file, of_link, of_open;
  check(stat(words[1], &of_file) == 0 && of_file.st_size == 12, "stat");
  check(stat(words[2], &of_link) == 0 && of_link.st_size == 12, "stat of a link");
  check(lstat(words[2], &of_link) == 0 && S_ISLNK(of_link.st_mode), "lstat");
  FILE* const file = std::fopen(words[1], "r");
  check(fstat(fileno(file), &of_open) == 0 && of_open.st_ino == of_file.st_ino && of_open.st_mtime == of_file.st_mtime, "fstat");
  check(stat("/nowhere", &of_file) == -1 && errno == ENOENT, "errno of stat");
  check(std::filesystem::file_size(words[1]) == 12 && std::filesystem::is_symlink(words[2]), "std::filesystem");

  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  const auto before = std::chrono::steady_clock::now();
  const bool told = condition.wait_for(lock, std::chrono::milliseconds(60), [] { return false; });
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - before;
  check(!told && waited.count() >= 0.06 && waited.count() < 5, "a wait that nobody ends");
  bool done = false;
  auto shared = std::make_shared<int>(7);
  std::thread other([&, shared] {
    const std::lock_guard guard(mutex);
    done = true;
    condition.notify_one();
  });
  check(condition.wait_for(lock, std::chrono::seconds(60), [&] { return done; }), "a wait that a thread ends");
  lock.unlock();
  other.join();
  check(shared.use_count() == 1, "std::shared_ptr");

  check(std::strtol("-42x", nullptr, 10) == -42 && std::strtoull("ffffffffffffffff", nullptr, 16) == ~0ull, "strtol");
  using Function = double (*)(double, double);
  void* const library = dlopen("libm.so.6", RTLD_NOW);
  check(library != nullptr && reinterpret_cast<Function>(dlsym(library, "pow"))(3, 4) == 81, "dlopen");
  const volatile double two = 2;
  check(std::pow(two, 0.5) == std::sqrt(two) && std::exp(two * 0) == 1, "numbers");
  std::random_device random;
  check(random() != random() || random() != random(), "std::random_device");
  std::puts(wrong == 0 ? "as expected" : "wrong");
  return wrong;
}
"""

compiler, folder = sys.argv[1], pathlib.Path(sys.argv[2])
libraries = folder / "libraries"
folder.mkdir(parents=True, exist_ok=True)
subprocess.run([sys.executable, "-B", ROOT / "cmake/older_glibc.py", "2.28", libraries, compiler], check=True)
if not libraries.exists():
    print("skipped: the C library is older than 2.34")
    sys.exit(77)
(folder / "program.cpp").write_text(PROGRAM, encoding="utf-8")
program = folder / "program"
subprocess.run([compiler, "-std=c++20", "-O2", "-static-libstdc++", folder / "program.cpp", ROOT / "cmake/older_glibc.cpp",
                ROOT / "cmake/older_glibc_start.cpp", f"-L{libraries}", "-Wl,--wrap=__libc_start_main,--allow-shlib-undefined", "-o", program], check=True)
file, link = folder / "file", folder / "link"
file.write_text("twelve bytes", encoding="utf-8")
link.unlink(missing_ok=True)
link.symlink_to(file)
done = subprocess.run([program, file, link], check=False, text=True, stdout=subprocess.PIPE)
symbols = subprocess.run(["readelf", "--dyn-syms", "-W", program], check=True, text=True, stdout=subprocess.PIPE).stdout
# Newer systems than Debian 12 have more that their code calls: a wheel that is built there needs them.
own = tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))
newer = [line.split()[7] for line in symbols.splitlines() if any(
    tuple(map(int, version.split("."))) > NEWEST for version in re.findall(r"@GLIBC_([\d.]+)", line))]
print(done.stdout, *(f"needs {name}\n" for name in newer), sep="")
sys.exit(done.returncode or bool(newer and own <= (2, 36)))
