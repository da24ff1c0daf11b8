# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DNM=<nm> -DOBJCOPY=<objcopy> -DFROM=<archive> -DTO=<archive> -P rename_to_profiling.cmake
# Copies an archive, and makes each undefined MPI_X in it PMPI_X. Names of MPI's data and constants have no small letters.
execute_process(COMMAND ${NM} --undefined-only --format=posix ${FROM} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)MPI_[A-Z][a-z][A-Za-z0-9_]*" calls "${symbols}")
list(TRANSFORM calls STRIP)
list(REMOVE_DUPLICATES calls)
list(TRANSFORM calls REPLACE "^(.+)$" "\\1 P\\1")
string(REPLACE ";" "\n" map "${calls}")
file(WRITE ${TO}.map "${map}\n")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${TO}.map ${FROM} ${TO} COMMAND_ERROR_IS_FATAL ANY)
