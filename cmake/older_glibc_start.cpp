// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// C libraries before 2.34 leave a program's constructors to the program. The start file of a newer one does
// not run them; the linker option --wrap=__libc_start_main leads it here.
using Main = int (*)(int, char**, char**);
using Start = void (*)(int, char**, char**);
using Finish = void (*)();

extern "C" {
[[gnu::visibility("hidden")]] extern const Start __init_array_start[], __init_array_end[];
int __real___libc_start_main(Main main, int argc, char** argv, Start init, Finish fini, Finish loader_fini,
                             void* stack_end);
}

namespace {
void construct(int argc, char** argv, char** environment) {
  for (auto start = __init_array_start; start != __init_array_end; ++start) (*start)(argc, argv, environment);
}
}  // namespace

extern "C" [[gnu::visibility("hidden")]] int __wrap___libc_start_main(Main main, int argc, char** argv,
                                                                      Start init, Finish fini,
                                                                      Finish loader_fini, void* stack_end) {
  return __real___libc_start_main(main, argc, argv, init ? init : construct, fini, loader_fini, stack_end);
}
