# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Included for each ${mpi}: with libraries that are preloaded besides ours.

# A tool that was preloaded as well sees what the program calls, wherever it stands.
add_library(interpose_tool_${mpi} SHARED front/tool.c)
target_link_libraries(interpose_tool_${mpi} PRIVATE $<COMPILE_ONLY:typewarp_mpi_import_${mpi}>)
foreach(libraries "after_us;typewarp_interpose;interpose_tool_${mpi}" "before_us;interpose_tool_${mpi};typewarp_interpose")
  list(POP_FRONT libraries place first second)
  set(name interpose.tool_${place}.${mpi})
  add_test(NAME ${name} COMMAND ${launcher} -n 1 env LD_PRELOAD=$<TARGET_FILE:${first}>:$<TARGET_FILE:${second}>
                                $<TARGET_FILE:interpose_program_${mpi}>)
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT 120 PASS_REGULAR_EXPRESSION "the tool saw 10\n")
endforeach()

# As over an MPI that has no MPI_Isendrecv. The program calls it, so the MPI must have it; Open MPI 4 has not.
add_library(interpose_lacking_${mpi} SHARED front/lacking.c)
target_link_libraries(interpose_lacking_${mpi} PRIVATE ${CMAKE_DL_LIBS})
block(PROPAGATE typewarp_has_isendrecv_${mpi})
  get_target_property(flags typewarp_mpi_import_${mpi} TYPEWARP_PKGCONFIG_CFLAGS)
  get_target_property(CMAKE_REQUIRED_LIBRARIES typewarp_mpi_import_${mpi} TYPEWARP_PKGCONFIG_LIBS)
  string(JOIN " " CMAKE_REQUIRED_FLAGS ${flags})
  check_symbol_exists(MPI_Isendrecv mpi.h typewarp_has_isendrecv_${mpi})
endblock()
if(typewarp_has_isendrecv_${mpi})
  add_executable(interpose_isendrecv_${mpi} front/isendrecv.c)
  target_link_libraries(interpose_isendrecv_${mpi} PRIVATE typewarp_mpi_import_${mpi})
endif()
foreach(settings TYPEWARP_TRANSPORT=0 TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=all)
  set(name interpose.isendrecv.${settings}.${mpi})
  if(NOT typewarp_has_isendrecv_${mpi})
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs an MPI with MPI_Isendrecv")
    set_tests_properties(${name} PROPERTIES LABELS mpi SKIP_REGULAR_EXPRESSION "skipped: ")
    continue()
  endif()
  add_test(NAME ${name} COMMAND ${launcher} -n 3 env ${settings} LD_PRELOAD=$<TARGET_FILE:typewarp_interpose>:$<TARGET_FILE:interpose_lacking_${mpi}>
                                $<TARGET_FILE:interpose_isendrecv_${mpi}>)
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT 60 PROCESSORS 3 PASS_REGULAR_EXPRESSION "all is right[^!]*all is right[^!]*all is right")
endforeach()

if(mpi STREQUAL typewarp_main_mpi)
  set(name interpose.calls.without_persistent_exchanges.${mpi})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/compare.py
           $<TARGET_FILE:typewarp_interpose>:$<TARGET_FILE:interpose_lacking_${mpi}> host 3 shared -- ${launcher} --
           $<TARGET_FILE:interpose_calls_${mpi}> {kind} alltoall neighbors)
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT 600 PROCESSORS 3)
endif()

# The core for Open MPI over the system's, where that is of version 4.
if(abi STREQUAL "openmpi")
  add_test(NAME interpose.window_level
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/windows/window_level.sh $<TARGET_FILE:typewarp_interpose> ${CMAKE_CURRENT_SOURCE_DIR}/windows/window_level.c)
  set_tests_properties(interpose.window_level PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2 SKIP_RETURN_CODE 77)
endif()

include(visible/visible.cmake)
