# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
set(TYPEWARP_CUDA AUTO CACHE STRING "Build the CUDA engine: ON, OFF, or AUTO (if nvcc is found)")
set_property(CACHE TYPEWARP_CUDA PROPERTY STRINGS AUTO ON OFF)
set(TYPEWARP_CUDA_ARCHS "90" CACHE STRING "CUDA architectures; each gets machine code and PTX")

set(typewarp_with_cuda OFF)
if(NOT TYPEWARP_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  set(CMAKE_CUDA_ARCHITECTURES ${TYPEWARP_CUDA_ARCHS})
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    # cudaStreamGetDevice came with 12.8.
    if(CUDAToolkit_VERSION VERSION_LESS 12.8)
      message(FATAL_ERROR "The CUDA engine needs CUDA 12.8 or newer; ${CMAKE_CUDA_COMPILER} belongs to "
                          "${CUDAToolkit_VERSION}. Set CMAKE_CUDA_COMPILER to a newer nvcc, or "
                          "TYPEWARP_CUDA=OFF to build without it.")
    endif()
    set(typewarp_with_cuda ON)
  elseif(TYPEWARP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TYPEWARP_CUDA is ON, but no CUDA compiler was found (set CMAKE_CUDA_COMPILER)")
  endif()
endif()
message(STATUS "Typewarp: CUDA engine ${typewarp_with_cuda}")
