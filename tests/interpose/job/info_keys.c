// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The info keys of hints at communicators, as a program uses them that was not built with them: which are taken,
// told and refused. What becomes of them is hinted_moves.c's. Exits with 1 at the first wrong answer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* place = "";

static void expect(int condition, const char* what, const char* value) {
  if (condition) return;
  fprintf(stderr, "%s: %s: '%s'\n", place, what, value);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// "key=value;key=value", without prefix; MPI_INFO_NULL for "".
static MPI_Info info_of(const char* keys) {
  char text[300], *save = NULL;
  MPI_Info info = MPI_INFO_NULL;
  snprintf(text, sizeof text, "%s", keys);
  for (char* one = strtok_r(text, ";", &save); one != NULL; one = strtok_r(NULL, ";", &save)) {
    char key[100];
    char* const equals = strchr(one, '=');
    *equals = '\0';
    snprintf(key, sizeof key, "typewarp_%s", one);
    if (info == MPI_INFO_NULL) MPI_Info_create(&info);
    MPI_Info_set(info, key, equals + 1);
  }
  return info;
}

static void free_info(MPI_Info* info) {
  if (*info != MPI_INFO_NULL) MPI_Info_free(info);
}

/// What an info that MPI gave says of our keys, as info_of() takes it.
static void expect_told(MPI_Info info, const char* keys) {
  static const char* const all[] = {"avoid", "priority", "max_blocks", "method", "stream"};
  char told[300] = "";
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    char key[100], value[100];
    int found = 0;
    snprintf(key, sizeof key, "typewarp_%s", all[i]);
    MPI_Info_get(info, key, sizeof value - 1, value, &found);
    if (!found) continue;
    const size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s%s=%s", used == 0 ? "" : ";", all[i], value);
  }
  expect(strcmp(told, keys) == 0, keys, told);
  MPI_Info_free(&info);
}

static void comm_has(MPI_Comm comm, const char* keys) {
  MPI_Info info;
  expect(MPI_Comm_get_info(comm, &info) == MPI_SUCCESS, "MPI_Comm_get_info", "fails");
  expect_told(info, keys);
}

// Each makes one call with an info of these keys, and returns its code.

static MPI_Comm comm, made_comm;

static int comm_set_info(MPI_Info info) { return MPI_Comm_set_info(comm, info); }
static int comm_dup(MPI_Info info) { return MPI_Comm_dup_with_info(comm, info, &made_comm); }
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
static int comm_idup(MPI_Info info) {
  MPI_Request request;
  const int code = MPI_Comm_idup_with_info(comm, info, &made_comm, &request);
  return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}
static int comm_of_group(MPI_Info info) {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_SELF, &group);
  const int code = MPI_Comm_create_from_group(group, "typewarp", info, MPI_ERRORS_RETURN, &made_comm);
  MPI_Group_free(&group);
  return code;
}
#endif
static int comm_split(MPI_Info info) {
  return MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, info, &made_comm);
}

static int call(int (*one)(MPI_Info), const char* keys) {
  MPI_Info info = info_of(keys);
  const int code = one(info);
  free_info(&info);
  return code;
}

static void accepted(int (*one)(MPI_Info), const char* keys) {
  expect(call(one, keys) == MPI_SUCCESS, "is refused", keys);
}

/// The text names what is wrong: key, value and rule.
static void refused(int (*one)(MPI_Info), const char* keys, int error_class, const char* text) {
  char told[MPI_MAX_ERROR_STRING + 1];
  int length = 0;
  const int code = call(one, keys);
  expect(class_of(code) == error_class, "is of another class", keys);
  MPI_Error_string(code, told, &length);
  expect(strstr(told, text) != NULL, text, told);
  expect(strstr(told, place) != NULL, place, told);
}

static void malformed(const char* name, int (*one)(MPI_Info)) {
  place = name;
  refused(one, "avoid=cores", MPI_ERR_INFO_VALUE,
          "typewarp_avoid = cores: must be none, or of multiprocessors, copy_engines, with commas");
  refused(one, "priority=urgent", MPI_ERR_INFO_VALUE,
          "typewarp_priority = urgent: must be one of automatic, low");
  refused(one, "max_blocks=many", MPI_ERR_INFO_VALUE, "typewarp_max_blocks = many: must be a number");
  refused(one, "max_blocks=-1", MPI_ERR_INFO_VALUE, "typewarp_max_blocks = -1: must be a number");
  refused(one, "method=fast", MPI_ERR_INFO_VALUE, "typewarp_method = fast: must be one of automatic, DMA");
  refused(one, "blocks=8", MPI_ERR_INFO_KEY, "info key = typewarp_blocks: must be one of typewarp_avoid");
  refused(one, "priority=high;blocks=8", MPI_ERR_INFO_KEY, "typewarp_blocks");
}

static const char all_keys[] = "avoid=multiprocessors,copy_engines;priority=high;max_blocks=8;method=deep words";

static void new_comm(const char* name, int (*one)(MPI_Info)) {
  malformed(name, one);
  accepted(comm_set_info, "priority=low;max_blocks=3");
  made_comm = MPI_COMM_NULL;
  accepted(one, all_keys);
  comm_has(made_comm, all_keys);
  comm_has(comm, "priority=low;max_blocks=3");
  MPI_Comm_free(&made_comm);
  // Nothing of the communicator that it is made of.
  accepted(one, "method=words");
  comm_has(made_comm, "method=words");
  MPI_Comm_free(&made_comm);
  accepted(one, "");
  comm_has(made_comm, "");
  MPI_Comm_free(&made_comm);
  accepted(comm_set_info, "priority=automatic;max_blocks=0");
}

static void communicators(void) {
  malformed("MPI_Comm_set_info", comm_set_info);
  comm_has(comm, "");
  accepted(comm_set_info, all_keys);
  comm_has(comm, all_keys);
  // What is not said stays, also where the call is refused.
  accepted(comm_set_info, "max_blocks=16");
  refused(comm_set_info, "max_blocks=1;priority=urgent", MPI_ERR_INFO_VALUE, "urgent");
  comm_has(comm, "avoid=multiprocessors,copy_engines;priority=high;max_blocks=16;method=deep words");
  accepted(comm_set_info, "avoid=none;method=automatic");
  comm_has(comm, "priority=high;max_blocks=16");
  MPI_Comm_dup(comm, &made_comm);
  comm_has(made_comm, "");
  MPI_Comm_free(&made_comm);
  accepted(comm_dup, "method=words;stream=4096");
  comm_has(made_comm, "method=words;stream=0x1000");
  MPI_Comm_free(&made_comm);
  new_comm("MPI_Comm_dup_with_info", comm_dup);
  new_comm("MPI_Comm_split_type", comm_split);
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  new_comm("MPI_Comm_idup_with_info", comm_idup);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  new_comm("MPI_Comm_create_from_group", comm_of_group);
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  communicators();
  MPI_Comm_free(&comm);
  MPI_Finalize();
  printf("all as expected\n");
  return 0;
}
