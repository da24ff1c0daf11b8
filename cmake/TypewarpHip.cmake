# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The GPU engine for AMD's GPUs, of the same sources: headers of CUDA's names say what HIP calls it (src/engine/runtime/hip/include).
option(TYPEWARP_HIP "Build the GPU engine for AMD GPUs, by hipcc, in place of CUDA's" OFF)

set(typewarp_with_hip ${TYPEWARP_HIP})
# Whether there are tests and benchmarks that are written with CUDA itself, whatever the engine calls it.
set(typewarp_cuda_programs ${typewarp_with_cuda})
if(TYPEWARP_HIP)
  if(typewarp_with_cuda)
    message(FATAL_ERROR "TYPEWARP_HIP is ON, and the CUDA engine too: set TYPEWARP_CUDA to OFF, as a build has one of them")
  endif()
  set(CMAKE_HIP_PLATFORM amd CACHE STRING "amd; or nvidia, for the tests: HIP's headers above CUDA, compiled by nvcc")
  find_path(TYPEWARP_HIP_INCLUDE hip/hip_runtime_api.h PATHS /opt/rocm/include DOC "The folder of HIP's headers")
  add_library(gpu_api INTERFACE)
  target_include_directories(gpu_api SYSTEM BEFORE INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/engine/runtime/hip/include>)
  if(CMAKE_HIP_PLATFORM STREQUAL "nvidia")
    include(TypewarpHipOverNvidia)
  else()
    set(CMAKE_HIP_ARCHITECTURES "gfx90a" CACHE STRING "Architectures of AMD GPUs; no other ones run the code")
    find_program(TYPEWARP_HIPCC hipcc PATHS /opt/rocm/bin DOC "HIP's compiler")
    find_library(TYPEWARP_HIP_LIBRARY amdhip64 PATHS /opt/rocm/lib DOC "HIP's runtime")
    if(NOT TYPEWARP_HIPCC OR NOT TYPEWARP_HIP_INCLUDE OR NOT TYPEWARP_HIP_LIBRARY)
      message(FATAL_ERROR "TYPEWARP_HIP is ON, but not all of hipcc, hip/hip_runtime_api.h and libamdhip64.so were found "
                          "(set TYPEWARP_HIPCC, TYPEWARP_HIP_INCLUDE and TYPEWARP_HIP_LIBRARY)")
    endif()
    list(JOIN CMAKE_HIP_ARCHITECTURES "," architectures)
    target_compile_definitions(gpu_api INTERFACE $<BUILD_INTERFACE:__HIP_PLATFORM_AMD__> $<BUILD_INTERFACE:TYPEWARP_HIP_ARCHITECTURES="${architectures}">)
    target_link_libraries(gpu_api INTERFACE ${TYPEWARP_HIP_LIBRARY})
  endif()
  target_include_directories(gpu_api SYSTEM INTERFACE $<BUILD_INTERFACE:${TYPEWARP_HIP_INCLUDE}>)
elseif(typewarp_with_cuda)
  add_library(gpu_api ALIAS CUDA::cudart_static)
endif()
message(STATUS "Typewarp: HIP engine ${typewarp_with_hip}")

# typewarp_hip_kernels(<target> <source>...): kernels of a library, compiled by hipcc. CMake's own language HIP does not find the compiler
# of distributions.
function(typewarp_hip_kernels target)
  if(CMAKE_HIP_PLATFORM STREQUAL "nvidia")
    target_sources(${target} PRIVATE ${ARGN})
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fmad=false)
    return()
  endif()
  list(TRANSFORM CMAKE_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
  set(includes "$<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^${TYPEWARP_HIP_INCLUDE}$>")  # hipcc knows its own
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  foreach(source IN LISTS ARGN)
    cmake_path(NORMAL_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE name)
    set(object ${CMAKE_BINARY_DIR}/hip/${name}.o)
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    # Warnings are those of nvcc's and the host's compiler, which see the same sources.
    add_custom_command(
      OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMAND_EXPAND_LISTS
      COMMENT "Compiling ${name} for ${CMAKE_HIP_ARCHITECTURES}"
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${TYPEWARP_HIPCC} --hipcc-func-supp -x hip ${architectures} -include cuda_runtime.h -std=c++20 -O3 -fPIC -w
              -ffp-contract=off "$<LIST:TRANSFORM,${definitions},PREPEND,-D>" "$<LIST:TRANSFORM,${includes},PREPEND,-I>"
              -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object})
    target_sources(${target} PRIVATE ${object})
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  endforeach()
endfunction()
