# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause

file(STRINGS ${PROJECT_SOURCE_DIR}/include/typewarp/version.h typewarp_abi_version REGEX "^#define TYPEWARP_ABI_VERSION [0-9]+$")
string(REGEX REPLACE "^.* " "" typewarp_abi_version "${typewarp_abi_version}")

# typewarp_c_library(<alias> <name> INTERFACE <target>... ARCHIVES <target>...)
# typewarp::<alias>, lib<name>.so: has the interface of C of these archives, and all that they need, inside; nothing else is seen.
# INTERFACE: what programs compile and link with. Its file and its symbols bear the version of the ABI.
function(typewarp_c_library alias name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "INTERFACE;ARCHIVES")
  set(target typewarp_${alias})
  set(exports ${PROJECT_SOURCE_DIR}/src/capi/exports.map)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${target}.cpp CONTENT "// All code is in archives.\n")
  add_library(${target} SHARED ${CMAKE_BINARY_DIR}/${target}.cpp)
  add_library(typewarp::${alias} ALIAS ${target})
  target_link_libraries(${target} INTERFACE ${arg_INTERFACE} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${arg_ARCHIVES}>" typewarp_flags)
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined)
  set(version ${PROJECT_VERSION})
  if(TYPEWARP_PORTABLE)  # a wheel has no links: the file has the name that programs look for
    set(version ${typewarp_abi_version})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${alias} OUTPUT_NAME ${name} VERSION ${version} SOVERSION ${typewarp_abi_version}
                                             LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endfunction()
