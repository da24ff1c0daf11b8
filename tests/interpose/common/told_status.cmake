# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# CTest looks at the output of a test that must say something, and not at its status. Here both count: the launcher of
# such a test tells the status, too.
set(interpose_told_status ${CMAKE_CURRENT_LIST_DIR}/told_status.sh)

# interpose_launcher(<variable> <mpi> [label...]): as typewarp_launcher().
function(interpose_launcher variable mpi)
  typewarp_launcher(launcher ${mpi} ${ARGN})
  set(${variable} ${interpose_told_status} ${launcher} PARENT_SCOPE)
endfunction()

# For all tests of this folder, once they are there.
function(interpose_tests_tell_status)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    get_test_property(${test} PASS_REGULAR_EXPRESSION says)
    if(says AND NOT test MATCHES "taken_for_device")  # that ends where the device is not there
      set_property(TEST ${test} APPEND PROPERTY FAIL_REGULAR_EXPRESSION "ended with status [0-9]")
    endif()
  endforeach()
endfunction()
