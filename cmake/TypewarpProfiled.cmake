# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# typewarp_profiled(<static library>)
# <static library>_profiled: a copy of it whose calls of MPI_X are calls of PMPI_X, for code that may be called by MPI_X
# itself. What the library depends on does not come along: a static library that calls MPI as well needs a copy of its own.
function(typewarp_profiled library)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/lib${library}_profiled.a)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY} -DFROM=$<TARGET_FILE:${library}> -DTO=${file}
            -P ${PROJECT_SOURCE_DIR}/cmake/rename_to_profiling.cmake
    DEPENDS ${library} ${PROJECT_SOURCE_DIR}/cmake/rename_to_profiling.cmake VERBATIM)
  add_custom_target(${library}_profiled_file DEPENDS ${file})
  add_library(${library}_profiled INTERFACE)
  add_dependencies(${library}_profiled ${library}_profiled_file)
  target_link_libraries(${library}_profiled INTERFACE ${file})
endfunction()
