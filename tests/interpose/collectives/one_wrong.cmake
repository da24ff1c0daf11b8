# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# An argument that one rank alone has wrong, where ranks ask each other: about memory of the host, and of what is ours.
interpose_user_program(one_wrong ${mpi} collectives/one_wrong.c)
foreach(take gpu all)
  foreach(ranks 2 3)
    add_test(NAME interpose.collectives.one_wrong.${take}.${ranks}.${mpi}
             COMMAND ${launcher} -n ${ranks} env LD_PRELOAD=$<TARGET_FILE:typewarp_interpose> TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=${take}
                     $<TARGET_FILE:interpose_one_wrong_${mpi}>)
    set_tests_properties(interpose.collectives.one_wrong.${take}.${ranks}.${mpi} PROPERTIES
      LABELS mpi TIMEOUT 60 PROCESSORS ${ranks} PASS_REGULAR_EXPRESSION "all is right\n")
  endforeach()
endforeach()
