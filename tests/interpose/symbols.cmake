# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DSYMBOLS=<nm or readelf> -DOPTIONS=<option;...> -DFILE=<library;...> -DSOME=<regex> -DNONE=<regex> [-DEXCEPT=<regex>] -P symbols.cmake
# What the tool prints of the libraries must match SOME, and what of it does not match EXCEPT must not match NONE.
execute_process(COMMAND ${SYMBOLS} ${OPTIONS} ${FILE} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(NOT text MATCHES "${SOME}")
  message(FATAL_ERROR "no '${SOME}' in\n${text}")
endif()
if(EXCEPT)
  string(REGEX REPLACE "${EXCEPT}" "" text "${text}")
endif()
if(text MATCHES "${NONE}")
  message(FATAL_ERROR "'${CMAKE_MATCH_0}' in\n${text}")
endif()
