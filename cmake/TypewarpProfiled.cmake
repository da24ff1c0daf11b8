# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# typewarp_profiled(<static library> [<target>...])
# <static library>_profiled: a copy of it whose calls of MPI_X are calls of PMPI_X, for code that may be called by MPI_X
# itself. It depends on the given targets, and not on what the library depends on: a static library that calls MPI as well needs
# a copy of its own.
function(typewarp_profiled library)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/lib${library}_profiled.a)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY} -DFROM=$<TARGET_FILE:${library}> -DTO=${file}
            -P ${PROJECT_SOURCE_DIR}/cmake/rename_to_profiling.cmake
    DEPENDS ${library} ${PROJECT_SOURCE_DIR}/cmake/rename_to_profiling.cmake VERBATIM)
  add_custom_target(${library}_profiled_file DEPENDS ${file})
  add_library(${library}_profiled STATIC IMPORTED GLOBAL)
  add_dependencies(${library}_profiled ${library}_profiled_file)
  set_target_properties(${library}_profiled PROPERTIES IMPORTED_LOCATION ${file})
  target_link_libraries(${library}_profiled INTERFACE ${ARGN})
endfunction()
