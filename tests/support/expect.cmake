# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DSTATUS=<code> -DMATCH=<regex> [-DSKIP=<regex>] -P expect.cmake -- <command>...
# Runs the command; it must exit with STATUS and print MATCH exactly once. Exits with 77 (skipped) if the
# command does, or the output matches SKIP.
set(command "")
set(after_dashes OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_dashes ON)
  endif()
endforeach()

execute_process(COMMAND ${command} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message(STATUS "exit status ${status}, output:\n${output}")
# Open MPI's launcher gives up like this now and then, before it starts any program: that says nothing of the program.
if(output MATCHES "PMIx server's listener thread failed to start")
  execute_process(COMMAND ${command} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  message(STATUS "once more: exit status ${status}, output:\n${output}")
endif()
if(DEFINED SKIP AND output MATCHES "${SKIP}")
  message(STATUS "skipped: ${CMAKE_MATCH_0}")
  cmake_language(EXIT 77)
endif()
if(status STREQUAL 77)
  cmake_language(EXIT 77)
endif()
if(NOT status STREQUAL STATUS)
  message(FATAL_ERROR "exit status ${status}, expected ${STATUS}")
endif()
string(REPLACE ";" "," output "${output}")  # a list would count elements, not matches
string(REGEX MATCHALL "${MATCH}" matches "${output}")
list(LENGTH matches times)
if(NOT times EQUAL 1)
  message(FATAL_ERROR "'${MATCH}' was printed ${times} times, expected once")
endif()
