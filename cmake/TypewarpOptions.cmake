# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
option(TYPEWARP_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TYPEWARP_APPS "Build the applications" ${PROJECT_IS_TOP_LEVEL})
option(TYPEWARP_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TYPEWARP_NIGHTLY "Build and run the tests that run seldom as well: ./test.sh --nightly" OFF)
option(TYPEWARP_STANDARD_ABI "Build the libraries for MPI's standard ABI as well, where an MPI has it" ON)
option(TYPEWARP_UNITY "Compile the sources of a folder together where they are compiled for each MPI" ON)
option(TYPEWARP_WERROR "Treat warnings as errors: for development, since newer compilers warn of more" OFF)
option(TYPEWARP_PORTABLE "Make an installation for other machines, as a wheel is: one GPU engine that all share, with CUDA's runtime and C++'s inside; \
it is found from where it lies, as is the MPI of a program that links it" OFF)
set(TYPEWARP_SANITIZE "" CACHE STRING "Sanitizers for all host code, for instance address,undefined")
# ThreadSanitizer: a build has what has threads, and no more.
set(typewarp_sees_threads OFF)
if(TYPEWARP_SANITIZE MATCHES "thread")
  set(typewarp_sees_threads ON)
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# Everything of the project's own compiles with these; headers of others come in as SYSTEM.
add_library(typewarp_flags INTERFACE)
target_compile_options(typewarp_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TYPEWARP_WERROR}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${TYPEWARP_WERROR}>>:-Werror=all-warnings>)
if(TYPEWARP_SANITIZE)
  # GCC 12 warns of members of a moved std::variant that may be uninitialized only in code that it has instrumented; with ThreadSanitizer,
  # of what short strings and vectors do outside of their bounds, too.
  # In tests the undefined would be the tests' own, and looking for it takes as long as all else that their compiler does.
  target_compile_options(typewarp_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TYPEWARP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>
    $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:${typewarp_sees_threads}>>:-Wno-array-bounds>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:TYPEWARP_IS_TEST>>>:-fno-sanitize=undefined>)
  target_link_options(typewarp_flags INTERFACE -fsanitize=${TYPEWARP_SANITIZE})
endif()

if(TYPEWARP_PORTABLE)
  # The C library may be as old as 2.28. Not libgcc inside: its unwinder is of the C library that it was built for.
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(older_glibc ${CMAKE_BINARY_DIR}/older_glibc)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/older_glibc.py 2.28 ${older_glibc} ${CMAKE_CXX_COMPILER}
                  COMMAND_ERROR_IS_FATAL ANY)
  add_library(typewarp_older_glibc STATIC cmake/older_glibc.cpp cmake/older_glibc_start.cpp)
  target_link_libraries(typewarp_flags INTERFACE typewarp_older_glibc)
  # The libraries of newer compilers themselves, such as libgcc_s.so, need what that linker does not see.
  target_link_options(typewarp_flags INTERFACE -static-libstdc++ -L${older_glibc} -Wl,--undefined=arc4random
                      $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-Wl,--wrap=__libc_start_main,--allow-shlib-undefined>)
  set(CMAKE_INSTALL_RPATH $ORIGIN/../lib)  # of libraries and programs
  set(CMAKE_INSTALL_LIBDIR lib)
endif()

# Objects that were compiled before, in any folder. What ccache must overlook for precompiled headers: times, and macros that they do
# not use. It remembers what it has read by the file's inode: without that it reads the precompiled header, 96 MB, for each object, and
# serves one in 0.19 s of CPU time in place of 0.01 s. Before 4.7.4 it took a file that was changed twice within a tick of the clock
# for the first one.
find_program(TYPEWARP_CCACHE ccache DOC "Keeps compiled objects; empty: none is used")
if(TYPEWARP_CCACHE)
  set(inode_cache "")
  execute_process(COMMAND ${TYPEWARP_CCACHE} --version OUTPUT_VARIABLE ccache_version ERROR_QUIET)
  if(ccache_version MATCHES "ccache version ([0-9.]+)" AND CMAKE_MATCH_1 VERSION_GREATER_EQUAL 4.7.4)
    set(inode_cache CCACHE_INODECACHE=1)
  endif()
  foreach(language C CXX CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
          env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${inode_cache}
          CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TYPEWARP_CCACHE})
    endif()
  endforeach()
endif()

# Most of what compiles of most sources is of the standard library. Each file still includes what it uses: builds with
# CMAKE_DISABLE_PRECOMPILE_HEADERS show it.
set(typewarp_standard_headers <algorithm> <array> <atomic> <chrono> <functional> <map> <memory> <mutex> <numeric> <optional> <span> <string>
                              <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/standard_headers.cpp CONTENT "// Nothing but what is included before.\n")
add_library(typewarp_standard_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/standard_headers.cpp)
target_link_libraries(typewarp_standard_headers PRIVATE typewarp_flags)
target_precompile_headers(typewarp_standard_headers PRIVATE ${typewarp_standard_headers})
# typewarp_precompiled(<target> [<of>]): takes the precompiled headers of another target, by default the standard ones. Both must be
# optimised alike: GCC 12 fails otherwise.
function(typewarp_precompiled target)
  set(of typewarp_standard_headers ${ARGN})
  list(GET of -1 of)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${of})
  endif()
endfunction()
# ccache sees into a precompiled header only so.
target_compile_options(typewarp_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)

# typewarp_united(<target>): the compiler sees the sources of a folder as one, and reads what they include once. Those with names inside that
# others of their folder have too are set SKIP_UNITY_BUILD_INCLUSION. Builds without TYPEWARP_UNITY show that each includes what it uses.
function(typewarp_united target)
  if(NOT TYPEWARP_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(REPLACE "${CMAKE_CURRENT_BINARY_DIR}/" "" folder "${folder}")  # of what is generated
    string(MAKE_C_IDENTIFIER "of_${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  # Paths in it are relative: ccache finds it from other checkouts.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_RELOCATABLE ON)
endfunction()
