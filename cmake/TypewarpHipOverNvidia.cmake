# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The engine for AMD's GPUs on those of NVIDIA, for its tests (docs/guide/amd.md): HIP's headers say there what CUDA calls it. They stand
# between this library's headers of CUDA's names and CUDA's own: which of the two is read depends on whether HIP's headers ask.
if(NOT EXISTS ${TYPEWARP_HIP_INCLUDE}/hip/nvidia_detail/nvidia_hip_runtime_api.h)
  message(FATAL_ERROR "CMAKE_HIP_PLATFORM is nvidia, but TYPEWARP_HIP_INCLUDE (${TYPEWARP_HIP_INCLUDE}) has no hip/nvidia_detail: set it to "
                      "the folder of headers of HIP 5.7")
endif()
set(CMAKE_CUDA_ARCHITECTURES ${TYPEWARP_CUDA_ARCHS})
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)
set(typewarp_cuda_programs ON)
list(GET CUDAToolkit_INCLUDE_DIRS 0 cuda)
set(forwarding ${CMAKE_BINARY_DIR}/hip_over_nvidia)
foreach(header cuda.h cuda_runtime.h cuda_runtime_api.h)
  file(CONFIGURE OUTPUT ${forwarding}/${header} @ONLY CONTENT [[
#ifdef TYPEWARP_WITHIN_HIP
#include "@cuda@/@header@"
#else
#include_next <@header@>
#endif
]])
endforeach()
# Memory orders, and copies into shared memory, are those of CUDA's compiler.
file(CONFIGURE OUTPUT ${forwarding}/cuda/atomic @ONLY CONTENT "#include \"@cuda@/cccl/cuda/atomic\"\n")
file(CONFIGURE OUTPUT ${forwarding}/cuda_pipeline_primitives.h @ONLY CONTENT "#include \"@cuda@/cuda_pipeline_primitives.h\"\n")
target_include_directories(gpu_api SYSTEM BEFORE INTERFACE ${forwarding} ${PROJECT_SOURCE_DIR}/tests/hip_over_nvidia/include)
target_include_directories(gpu_api SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
# HIP names no architecture of NVIDIA's GPUs: theirs is the empty word.
target_compile_definitions(gpu_api INTERFACE __HIP_PLATFORM_NVIDIA__ TYPEWARP_HIP_ARCHITECTURES=",")
target_link_libraries(gpu_api INTERFACE CUDA::cudart_static CUDA::cuda_driver ${CMAKE_DL_LIBS})
