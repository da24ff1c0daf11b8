# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
option(TYPEWARP_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TYPEWARP_APPS "Build the applications" ${PROJECT_IS_TOP_LEVEL})
option(TYPEWARP_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TYPEWARP_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
set(TYPEWARP_SANITIZE "" CACHE STRING "Sanitizers for all host code, for instance address,undefined")

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
  # In tests the undefined would be the tests' own, and looking for it takes as long as all else that their compiler does.
  target_compile_options(typewarp_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TYPEWARP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:TYPEWARP_IS_TEST>>>:-fno-sanitize=undefined>)
  target_link_options(typewarp_flags INTERFACE -fsanitize=${TYPEWARP_SANITIZE})
endif()
