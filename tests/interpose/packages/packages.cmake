# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Packages that others wrote, unchanged, with host memory that is all taken: docs/guide/packages.md. The small ones run by day with the main
# MPI. Nightly all run, with each MPI that their wheels support. On GPUs each uses its own GPU arrays.
set(packages ${CMAKE_CURRENT_LIST_DIR})

# packages_compare(<name> <mpi> <ranks> [CALLS <call>...] [OPTIONS <word>...] LAUNCHER <word>... COMMAND <word>...): package.py tells what is run.
function(packages_compare name mpi ranks)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "KIND" "CALLS;OPTIONS;LAUNCHER;ENVIRONMENT;COMMAND")
  set(test interpose.packages.${name}.${arg_KIND}.${mpi})
  add_test(NAME ${test} COMMAND ${Python3_EXECUTABLE} -B ${packages}/package.py $<TARGET_FILE:typewarp_program> ${arg_KIND} ${ranks} ${arg_CALLS}
                                ${arg_OPTIONS} -- ${arg_LAUNCHER} -- ${arg_COMMAND})
  set(labels mpi)
  if(NOT arg_KIND STREQUAL "host")
    list(APPEND labels gpu)
  endif()
  # Threads of NumPy and PyTorch would take the processors that other ranks need.
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 3600 PROCESSORS ${ranks} SKIP_RETURN_CODE 77
                                          ENVIRONMENT "OMP_NUM_THREADS=1;OPENBLAS_NUM_THREADS=1;${arg_ENVIRONMENT}")
endfunction()

# packages_python(<name> <program> <environment of tools/setup.sh> <option of tools/setup.sh> <mpi> <ranks> CALLS <call>... KINDS <kind and edge>...)
function(packages_python name program environment option mpi ranks)
  cmake_parse_arguments(PARSE_ARGV 6 arg "" "" "CALLS;KINDS")
  set(python ${PROJECT_SOURCE_DIR}/.tools/${environment})
  if(NOT EXISTS ${python}/.complete)
    add_test(NAME interpose.packages.${name}.${mpi} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs ${name} (tools/setup.sh ${option})")
    set_tests_properties(interpose.packages.${name}.${mpi} PROPERTIES LABELS mpi SKIP_REGULAR_EXPRESSION "skipped: ")
    return()
  endif()
  typewarp_launcher(launcher ${mpi})
  list(GET launcher 0 library)
  cmake_path(GET library PARENT_PATH library)
  file(GLOB library ${library}/../lib/libmpi.so.*)
  foreach(kind IN LISTS arg_KINDS)
    string(REPLACE ":" ";" kind ${kind})
    list(POP_FRONT kind name_of_kind edge)
    if(name_of_kind STREQUAL "host" OR typewarp_with_cuda)
      packages_compare(${name} ${mpi} ${ranks} KIND ${name_of_kind} CALLS ${arg_CALLS} LAUNCHER ${launcher}
        ENVIRONMENT MPI4PY_LIBMPI=${library} PYTHONPATH=${packages}/../python
        COMMAND ${python}/bin/python -B -m mpi4py ${packages}/${program}.py {kind} ${edge})
    endif()
  endforeach()
endfunction()

foreach(abi openmpi mpich)
  set(mpi ${typewarp_mpi_of_${abi}})
  if(NOT abi IN_LIST typewarp_abis OR NOT (TYPEWARP_NIGHTLY OR mpi STREQUAL typewarp_main_mpi))
    continue()
  endif()
  packages_python(mpi4py-fft fft mpi-packages --with-mpi-packages ${mpi} 4 CALLS MPI_Alltoallw KINDS host:32 cupy:256)
  packages_python(pylops-mpi inversion mpi-packages --with-mpi-packages ${mpi} 3 CALLS MPI_Sendrecv MPI_Send MPI_Recv MPI_Allgather MPI_Allreduce
                  KINDS host:48 cupy:512)
  if(TYPEWARP_NIGHTLY)
    packages_python(heat tensors heat --with-large-mpi-packages ${mpi} 3 CALLS MPI_Alltoallw MPI_Allgather MPI_Bcast MPI_Allreduce
                    KINDS host:40 torch:400)
  endif()
endforeach()

# Debian's package has an MPI and a launcher of its own. This build supports it if it has the same ABI.
if(TYPEWARP_NIGHTLY AND openmpi IN_LIST typewarp_abis)
  find_program(typewarp_lammps lmp PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(typewarp_mpirun_of_debian NAMES mpirun.openmpi PATHS /usr/bin NO_DEFAULT_PATH)
  if(typewarp_lammps AND typewarp_mpirun_of_debian)
    packages_compare(lammps debian 4 KIND host CALLS MPI_Send MPI_Irecv MPI_Sendrecv OPTIONS --rounds 8 --within 1.25
      LAUNCHER ${typewarp_mpirun_of_debian} --oversubscribe --allow-run-as-root
      COMMAND ${Python3_EXECUTABLE} -B ${packages}/melt.py ${typewarp_lammps} 10 100)
    set_tests_properties(interpose.packages.lammps.host.debian PROPERTIES RUN_SERIAL TRUE)
  else()
    add_test(NAME interpose.packages.lammps.debian
             COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs LAMMPS over Open MPI in /usr/bin (tools/setup.sh --with-large-mpi-packages)")
    set_tests_properties(interpose.packages.lammps.debian PROPERTIES LABELS mpi SKIP_REGULAR_EXPRESSION "skipped: ")
  endif()
endif()
