# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  # Debian and Ubuntu ship the sources as well; a compiler of another ABI builds them itself.
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
  add_library(GTest::gtest ALIAS gtest)
  add_library(GTest::gtest_main ALIAS gtest_main)
  add_library(GTest::gmock ALIAS gmock)
endif()
include(GoogleTest)

# Most of what compiles of most tests. What a target is not told to take from it, it does not see.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gtest_header.cpp CONTENT "int main() {}\n")
add_executable(typewarp_gtest_header EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/gtest_header.cpp)
target_link_libraries(typewarp_gtest_header PRIVATE GTest::gtest typewarp_flags)
target_precompile_headers(typewarp_gtest_header PRIVATE <gtest/gtest.h> ${typewarp_standard_headers})

# typewarp_optimises_as_test(<target>): no more than a test needs. The oracle and the engines are libraries, optimised in full. At this
# level GCC warns of accesses that do not happen.
function(typewarp_optimises_as_test target)
  set_target_properties(${target} PROPERTIES TYPEWARP_IS_TEST TRUE)
  target_compile_options(${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1;-Wno-array-bounds;-Wno-maybe-uninitialized;-Wno-stringop-overflow>")
endfunction()
typewarp_optimises_as_test(typewarp_gtest_header)

# typewarp_compiles_as_test(<target>)
function(typewarp_compiles_as_test target)
  typewarp_optimises_as_test(${target})
  typewarp_precompiled(${target} typewarp_gtest_header)
endfunction()

# typewarp_test_objects(<name> SOURCES <file>... [DEPENDS <target>...])
# Parts of several test programs, compiled once: what these name in DEPENDS, they name too.
function(typewarp_test_objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} typewarp_test_support GTest::gtest typewarp_flags)
  # The precompiled header was compiled for programs.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
  typewarp_compiles_as_test(${name})
endfunction()

# typewarp_test(<name> SOURCES <file>... [DEPENDS <target>...] [LABELS <label>...] [EACH_ALONE])
# A test program named test_<name>, which is one ctest test, <name>.all: the report counts the tests in it. With EACH_ALONE each of them
# is a ctest test, and so a process. The label gpu marks what needs a GPU; one such program runs at a time, since processes that share a
# GPU take turns (four take eight times as long as one on an H200), and each takes seconds to start there.
function(typewarp_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EACH_ALONE" "" "SOURCES;DEPENDS;LABELS")
  set(target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_DEPENDS} typewarp_test_support GTest::gtest_main typewarp_flags)
  typewarp_compiles_as_test(${target})
  if(arg_EACH_ALONE)
    gtest_discover_tests(${target} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
    return()
  endif()
  add_test(NAME ${name}.all COMMAND ${target})
  set_tests_properties(${name}.all PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1200)
  if("gpu" IN_LIST arg_LABELS)
    # Begun before others: those behind it need less of the GPU.
    set_tests_properties(${name}.all PROPERTIES RESOURCE_LOCK gpu COST 1000)
  endif()
endfunction()

# typewarp_expect(<name> <exit status> <regex> [TIMEOUT <seconds>] [PROCESSORS <n>] [ENVIRONMENT <name=value>...] COMMAND <command>...)
# A ctest test of a command of the benchmarks, with their label: see tests/support/expect.cmake.
function(typewarp_expect name status match)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "TIMEOUT;PROCESSORS" "ENVIRONMENT;COMMAND")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DSTATUS=${status} "-DMATCH=${match}" -P
                                ${PROJECT_SOURCE_DIR}/tests/support/expect.cmake -- ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS bench TIMEOUT ${arg_TIMEOUT})
  if(arg_PROCESSORS)
    set_tests_properties(${name} PROPERTIES PROCESSORS ${arg_PROCESSORS})
  endif()
  if(arg_ENVIRONMENT)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
endfunction()

# typewarp_launcher(<variable> <mpi> [label...])
# The words that start programs of an MPI in tests with these labels.
function(typewarp_launcher variable mpi)
  get_target_property(launcher typewarp_mpi_import_${mpi} TYPEWARP_MPIEXEC)
  if("gpu" IN_LIST ARGN)
    list(PREPEND launcher ${PROJECT_SOURCE_DIR}/tests/support/on_gpu.sh)
  endif()
  set(${variable} ${launcher} PARENT_SCOPE)
endfunction()

# Programs that a GPU alone can run are compiled where there is one, and nightly. Elsewhere they would be skipped.
set(typewarp_gpu_programs ${typewarp_with_cuda})
if(typewarp_with_hip AND (TYPEWARP_NIGHTLY OR EXISTS /dev/kfd))
  set(typewarp_gpu_programs ON)
endif()
if(typewarp_with_cuda AND NOT TYPEWARP_NIGHTLY)
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
  if(NOT no_gpu EQUAL 0)
    set(typewarp_gpu_programs OFF)
  endif()
endif()

# The last MPI of the list is the one with which everything is tested. With the others is tested what may depend on the MPI: matching,
# probing, requests, errors; layouts are packed alike with all of them.
set(typewarp_main_mpi "")
if(typewarp_mpis)
  list(GET typewarp_mpis -1 typewarp_main_mpi)
endif()
set(TYPEWARP_MAIN_MPI "${typewarp_main_mpi}" CACHE INTERNAL "For scripts that name tests")

# typewarp_ranks(<variable> <mpi> <all> <others>): with how many ranks a program runs, of these lists. Sanitizers, which take many times
# as long, see with two ranks what they see with more, and with four where a program takes no fewer.
function(typewarp_ranks variable mpi all others)
  set(ranks ${all})
  if(NOT mpi STREQUAL typewarp_main_mpi)
    set(ranks ${others})
  elseif(TYPEWARP_SANITIZE AND (1 IN_LIST all OR 2 IN_LIST all))
    list(FILTER ranks INCLUDE REGEX "^[12]$")
  endif()
  set(${variable} ${ranks} PARENT_SCOPE)
endfunction()

# typewarp_mpi_runs(<name> <program> RANKS <n>... [OTHERS <n>... | OTHERS_NIGHTLY <n>...] [LABELS <label>...] [ENVIRONMENT <name=value>...])
# Runs of test_<program>_<mpi>: a ctest test <name>.<mpi>.<ranks> for each number of RANKS with the main MPI, and of OTHERS with others. What
# a program calls of an MPI by way of messages alone, their suites show by day.
function(typewarp_mpi_runs name program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "RANKS;OTHERS;OTHERS_NIGHTLY;LABELS;ENVIRONMENT")
  if(TYPEWARP_NIGHTLY)
    list(APPEND arg_OTHERS ${arg_OTHERS_NIGHTLY})
  endif()
  foreach(mpi IN LISTS typewarp_mpis)
    typewarp_launcher(launcher ${mpi} ${arg_LABELS})
    typewarp_ranks(numbers ${mpi} "${arg_RANKS}" "${arg_OTHERS}")
    if(TYPEWARP_SANITIZE AND arg_ENVIRONMENT AND 2 IN_LIST numbers)
      set(numbers 2)  # a rank that sends to itself is seen where nothing is set
    endif()
    foreach(ranks IN LISTS numbers)
      add_test(NAME ${name}.${mpi}.${ranks} COMMAND ${launcher} -n ${ranks} $<TARGET_FILE:test_${program}_${mpi}>)
      # What takes both processors of a small machine, before what then shares them.
      set_tests_properties(${name}.${mpi}.${ranks} PROPERTIES LABELS "mpi;${arg_LABELS}" TIMEOUT 600 PROCESSORS ${ranks} COST ${ranks}
                                                              SKIP_RETURN_CODE 77 ENVIRONMENT "${arg_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()

# typewarp_mpi_test_objects(<name> SOURCES <file>... [DEPENDS <target>...] [MPI_DEPENDS <stem>...])
# The same with MPI: <name>_<mpi>, so that <name> is one of the MPI_DEPENDS of a program.
function(typewarp_mpi_test_objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;MPI_DEPENDS")
  foreach(mpi IN LISTS typewarp_mpis)
    list(TRANSFORM arg_MPI_DEPENDS APPEND _${mpi} OUTPUT_VARIABLE mpi_depends)
    typewarp_test_objects(${name}_${mpi} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS} ${mpi_depends} typewarp_mpi_import_${mpi})
  endforeach()
endfunction()

# typewarp_mpi_test(<name> SOURCES <file>... RANKS <n>... [OTHERS <n>... | OTHERS_NIGHTLY <n>...] [DEPENDS <target>...] [MPI_DEPENDS <stem>...] [LABELS <label>...]
#                   [ENVIRONMENT <name=value>...])
# One program an MPI, test_<name>_<mpi>, with tests/support/mpi_main.cpp as its main, and its typewarp_mpi_runs(). Without OTHERS there
# is no program for other MPIs than the main one.
function(typewarp_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;RANKS;OTHERS;OTHERS_NIGHTLY;DEPENDS;MPI_DEPENDS;LABELS;ENVIRONMENT")
  if(TYPEWARP_NIGHTLY)
    list(APPEND arg_OTHERS ${arg_OTHERS_NIGHTLY})
  endif()
  foreach(mpi IN LISTS typewarp_mpis)
    if(NOT mpi STREQUAL typewarp_main_mpi AND NOT arg_OTHERS)
      continue()
    endif()
    set(target test_${name}_${mpi})
    list(TRANSFORM arg_MPI_DEPENDS APPEND _${mpi} OUTPUT_VARIABLE mpi_depends)
    add_executable(${target} ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE ${arg_DEPENDS} ${mpi_depends} typewarp_mpi_import_${mpi}
                                            typewarp_test_mpi_main_${mpi} typewarp_test_support GTest::gtest typewarp_flags)
    typewarp_compiles_as_test(${target})
  endforeach()
  typewarp_mpi_runs(${name} ${name} RANKS ${arg_RANKS} OTHERS ${arg_OTHERS} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

enable_language(C)
# typewarp_compiles_c(<target>): as strictly as C can be.
function(typewarp_compiles_c target)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -pedantic -Werror)
endfunction()

# typewarp_c_program(<target> <source> <library>)
function(typewarp_c_program target source library)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE ${library} typewarp_flags)  # a sanitizer's runtime comes first
  typewarp_compiles_c(${target})
endfunction()
