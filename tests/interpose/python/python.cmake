# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi4py of tools/setup.sh, over the MPIs that its wheels know.
set(python ${PROJECT_SOURCE_DIR}/.tools/mpi4py/bin/python)
if(EXISTS ${PROJECT_SOURCE_DIR}/.tools/mpi4py/.complete)
  foreach(abi openmpi mpich)
    if(NOT abi IN_LIST typewarp_abis)
      continue()
    endif()
    set(mpi ${typewarp_mpi_of_${abi}})
    typewarp_launcher(launcher ${mpi})
    list(GET launcher 0 library)
    cmake_path(GET library PARENT_PATH library)
    file(GLOB library ${library}/../lib/libmpi.so.*)
    set(made $<$<STREQUAL:${abi},mpich>:_c>)  # Open MPI up to 5 has no twins
    # Of two ranks on a ring, Open MPI's neighbour exchange swaps what each sends the other twice.
    interpose_test(mpi4py ${mpi} 3
      COUNTS "MPI_Isend${made}: calls 1" "MPI_Send_init${made}: calls 1" "MPI_Sendrecv${made}: calls 1" "MPI_Startall: calls 2" "MPI_Waitall: calls 3"
             "MPI_Alltoallv${made}: calls 1" "MPI_Alltoallw${made}: calls 1" "MPI_Ialltoallw${made}: calls 1"
             "MPI_Ineighbor_alltoallw${made}: calls 1" "MPI_Pack${made}: calls 1" "MPI_Allreduce${made}: calls 1" "MPI_Iallgather${made}: calls 1"
             "MPI_Bcast${made}: calls 1" "datatypes: planned 1" "-plans alive"
      ENVIRONMENT MPI4PY_LIBMPI=${library}
      COMMAND ${python} ${CMAKE_CURRENT_SOURCE_DIR}/python/mpi4py_program.py)
    # Arrays of NumPy, of the CUDA runtime, of CuPy and of PyTorch.
    foreach(program transpose halo)
      interpose_compare(python_${program} ${mpi} 3 MAIN_ONLY KINDS host device cupy torch
                        ENVIRONMENT MPI4PY_LIBMPI=${library} "CUDART_LIBRARY=$<$<BOOL:${typewarp_with_cuda}>:${CUDA_cudart_LIBRARY}>"
                        COMMAND ${python} -B ${CMAKE_CURRENT_SOURCE_DIR}/python/${program}.py {kind})
    endforeach()
  endforeach()
endif()
