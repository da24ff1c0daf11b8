// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: calls <kind of memory> <group>... : tries MPI calls in all the ways in which a program may make
// them, and prints what each gave: statuses, error classes, and a hash of all bytes of the memory that it
// received into. Whatever carries the messages, the lines are the same.
#include "../common/memory.h"
#include "../common/report.h"
#include "groups.h"
#include "message.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char* name;
  void (*run)(void);
} groups[] = {{"point", group_point},
              {"both", group_both},
              {"order", group_order},
              {"complete", group_complete},
              {"odd", group_odd},
              {"errors", group_errors},
              {"pack", group_pack},
              {"comms", group_comms},
              {"alltoall", group_alltoall},
              {"neighbors", group_neighbors},
              {"collective", group_collective},
              {"reduction", group_reduction},
              {"overlapped", group_overlapped},
              {"one_buffer", group_one_buffer},
              {"file", group_file},
              {"window", group_window},
              {"create", group_create},
              {"attach", group_attach},
              {"epochs", group_epochs},
              {"created", group_created},
              {"attached", group_attached},
              {"external", group_external},
              {"partitioned", group_partitioned},
              {"partitioned_refused", group_partitioned_refused},
              {"freed", group_freed},
              {"spared", group_spared},
              {"looks", group_looks},
              {"alone", group_alone}};

static int run_group(const char* name) {
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i) {
    if (strcmp(groups[i].name, name) != 0) continue;
    for (world.large = 0; world.large <= (MPI_VERSION >= 4); ++world.large) groups[i].run();
    return 1;
  }
  fprintf(stderr, "there is no group '%s'\n", name);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: calls <host|pinned|managed|device> <group>...\n");
    return 2;
  }
  memory_kind(argv[1]);
  MPI_Init(&argc, &argv);
  world.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.size);
  world.right = (world.rank + 1) % world.size;
  world.left = (world.rank + world.size - 1) % world.size;
  memory_device(world.rank);
  for (int i = 2; i < argc; ++i) {
    if (!run_group(argv[i])) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  report_all();
  MPI_Finalize();
  return 0;
}
