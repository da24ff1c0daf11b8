// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What moves bytes without MPI, from C: each result is compared with what plain loops find.
#include "check.h"

#include <typewarp.h>

#include <stdlib.h>

enum { rows = 6, columns = 5, cells = rows * columns };

/// Column `column` of a matrix of doubles that lie in rows.
static tw_plan* plan_of_column(void) {
  tw_datatype* datatype = NULL;
  tw_plan* plan = NULL;
  SUCCEEDS(tw_datatype_vector(rows, 1, columns, tw_datatype_named(TW_DOUBLE), &datatype));
  SUCCEEDS(tw_plan_commit(datatype, &plan));
  tw_datatype_free(datatype);  // the plan keeps what it needs
  return plan;
}

static tw_plan* plan_of_row(void) {
  tw_datatype* datatype = NULL;
  tw_plan* plan = NULL;
  SUCCEEDS(tw_datatype_contiguous(rows, tw_datatype_named(TW_DOUBLE), &datatype));
  SUCCEEDS(tw_plan_commit(datatype, &plan));
  tw_datatype_free(datatype);
  return plan;
}

static void fill(double* matrix, double first) {
  for (int i = 0; i < cells; ++i) matrix[i] = first + i;
}

/// Whether all but column `column` is as fill() left it, and that is packed[0], packed[1], ...
static int has_column(const double* matrix, double first, int column, const double* packed) {
  for (int i = 0; i < cells; ++i) {
    if (matrix[i] != (i % columns == column ? packed[i / columns] : first + i)) return 0;
  }
  return 1;
}

static int is_column(const double* packed, const double* matrix, int column) {
  for (int i = 0; i < rows; ++i) {
    if (packed[i] != matrix[i * columns + column]) return 0;
  }
  return 1;
}

static void pack_and_unpack(const tw_plan* column, const tw_plan* row) {
  double matrix[cells], other[cells], packed[rows] = {0}, half[rows] = {0};
  fill(matrix, 100);
  fill(other, 500);
  SUCCEEDS(tw_pack(matrix + 2, 1, column, packed, NULL, NULL));
  CHECK(is_column(packed, matrix, 2));
  SUCCEEDS(tw_unpack(packed, other + 3, 1, column, NULL, NULL));
  CHECK(has_column(other, 500, 3, packed));

  const tw_byte_range second_half = {rows / 2 * sizeof(double), rows * sizeof(double)};
  SUCCEEDS(tw_pack(matrix + 2, 1, column, half, &second_half, NULL));
  CHECK(memcmp(half, packed + rows / 2, sizeof packed / 2) == 0 && half[rows / 2] == 0);

  fill(other, 500);
  SUCCEEDS(tw_copy(packed, 1, row, other + 1, 1, column, NULL, NULL));
  CHECK(has_column(other, 500, 1, packed));

  fill(other, 500);
  SUCCEEDS(tw_host_pack(matrix + 4, 1, column, packed, NULL, 1));
  CHECK(is_column(packed, matrix, 4));
  SUCCEEDS(tw_host_unpack(packed, other, 1, column, NULL, 0));
  CHECK(has_column(other, 500, 0, packed));
  SUCCEEDS(tw_host_copy(matrix, 1, column, packed, 1, row, NULL, 1));
  CHECK(is_column(packed, matrix, 0));
}

static void indexed_copies(const tw_plan* column) {
  double matrix[cells], other[cells];
  fill(matrix, 100);
  fill(other, 500);
  tw_item_array from = {matrix, columns, sizeof(double), column}, to = {other, columns, sizeof(double), column};
  tw_indexed_copy* copy = NULL;
  SUCCEEDS(tw_indexed_copy_create(1, &from, &to, &copy));
  memset(&from, 0, sizeof from);  // is not kept
  const int64_t sources[] = {4, 0, 4};
  const int destinations[] = {1, 3, 2};
  const tw_index_list read = {sources, 8}, written = {destinations, 4}, all = {NULL, 0};
  SUCCEEDS(tw_indexed_copy_start(copy, read, written, 3, NULL));
  SUCCEEDS(tw_indexed_copy_check(copy));
  for (int i = 0; i < cells; ++i) {
    const int source[columns] = {-1, 4, 4, 0, -1};
    const int s = source[i % columns];
    CHECK(other[i] == (s < 0 ? 500 + i : matrix[i / columns * columns + s]));
  }
  SUCCEEDS(tw_indexed_copy_start(copy, all, all, columns, NULL));
  CHECK(memcmp(matrix, other, sizeof matrix) == 0);
  tw_indexed_copy_free(copy);
}

static void batches(const tw_plan* column, const tw_plan* row) {
  double matrix[cells], other[cells], line[rows], packed[3 * rows];
  fill(matrix, 100);
  for (int i = 0; i < rows; ++i) line[i] = -i;
  const int64_t bytes = rows * sizeof(double);
  tw_piece pieces[] = {{matrix + 4, 1, column, 0}, {line, 1, row, bytes}, {matrix, 1, column, 2 * bytes}};
  tw_batch* batch = NULL;
  SUCCEEDS(tw_batch_create(3, pieces, packed, &batch));
  memset(pieces, 0, sizeof pieces);  // is not kept
  SUCCEEDS(tw_batch_pack(batch, NULL));
  CHECK(is_column(packed, matrix, 4) && is_column(packed + 2 * rows, matrix, 0));
  CHECK(memcmp(packed + rows, line, sizeof line) == 0);
  memset(line, 0, sizeof line);
  for (int i = 0; i < cells; ++i) matrix[i] = 0;
  SUCCEEDS(tw_batch_unpack(batch, NULL));
  CHECK(is_column(packed, matrix, 4) && is_column(packed + 2 * rows, matrix, 0));
  CHECK(memcmp(packed + rows, line, sizeof line) == 0 && matrix[1] == 0);
  tw_batch_free(batch);

  fill(matrix, 100);
  fill(other, 500);
  const tw_piece once[] = {{matrix + 3, 1, column, 0}};
  const tw_piece back[] = {{other + 2, 1, column, 0}};
  SUCCEEDS(tw_pack_pieces(1, once, packed, NULL));
  CHECK(is_column(packed, matrix, 3));
  SUCCEEDS(tw_unpack_pieces(packed, 1, back, NULL));
  CHECK(has_column(other, 500, 2, packed));
  SUCCEEDS(tw_pack_pieces(0, NULL, NULL, NULL));
}

static void persistent(void) {
  double matrix[cells], other[cells], packed[rows], elsewhere[rows];
  fill(matrix, 100);
  tw_plan* const column = plan_of_column();
  tw_persistent *pack = NULL, *unpack = NULL, *copy = NULL;
  SUCCEEDS(tw_persistent_pack_init(matrix + 1, 1, column, packed, NULL, TW_DEVICE_OF_DATA, &pack));
  SUCCEEDS(tw_persistent_unpack_init(packed, other + 2, 1, column, NULL, TW_DEVICE_OF_DATA, &unpack));
  SUCCEEDS(tw_persistent_copy_init(matrix + 3, 1, column, other, 1, column, NULL, TW_DEVICE_OF_DATA, &copy));
  tw_plan_free(column);  // operations keep it
  int done = 0;
  for (int step = 0; step < 3; ++step) {
    fill(matrix, 1000 * step);
    fill(other, 500);
    SUCCEEDS(tw_persistent_start(pack, NULL));
    SUCCEEDS(tw_persistent_wait(pack));
    CHECK(is_column(packed, matrix, 1));
    SUCCEEDS(tw_persistent_start(unpack, NULL));
    SUCCEEDS(tw_persistent_done(unpack, &done));
    CHECK(done == 1 && has_column(other, 500, 2, packed));
    SUCCEEDS(tw_persistent_start(copy, NULL));
    SUCCEEDS(tw_persistent_wait(copy));
    CHECK(other[0] == matrix[3] && other[columns] == matrix[columns + 3]);
  }
  SUCCEEDS(tw_persistent_start_at(pack, matrix + 4, elsewhere, NULL));
  SUCCEEDS(tw_persistent_wait(pack));
  CHECK(is_column(elsewhere, matrix, 4) && is_column(packed, matrix, 1));
  tw_persistent_free(pack);
  tw_persistent_free(unpack);
  tw_persistent_free(copy);
}

static void reduction(void) {
  const int32_t in[] = {5, -7, 3};
  int32_t sum[] = {1, 2, 3}, least[] = {1, 2, 3}, most[] = {1, 2, 3};
  SUCCEEDS(tw_reduce_local(in, sum, 3, TW_INT32_T, TW_SUM, NULL));
  SUCCEEDS(tw_reduce_local(in, least, 3, TW_INT32_T, TW_MIN, NULL));
  SUCCEEDS(tw_reduce_local(in, most, 3, TW_INT32_T, TW_MAX, NULL));
  CHECK(sum[0] == 6 && sum[1] == -5 && sum[2] == 6);
  CHECK(least[0] == 1 && least[1] == -7 && least[2] == 3);
  CHECK(most[0] == 5 && most[1] == 2 && most[2] == 3);
  CHECK(tw_reducible(TW_DOUBLE, TW_MAX) == 1 && tw_reducible(TW_BYTE, TW_SUM) == 0);
  CHECK(tw_reducible(TW_2INTEGER + 1, TW_SUM) == 0 && tw_reducible(TW_INT, TW_MAXLOC + 1) == 0);
  CHECK(tw_reducible(TW_DOUBLE_INT, TW_MAXLOC) == 1 && tw_reducible(TW_C_BOOL, TW_LXOR) == 1);
}

static int says(const char* text, const char* words) { return strstr(text, words) != NULL; }

static void explanations(void) {
  tw_plan* const column = plan_of_column();
  tw_explanation *both = NULL, *host = NULL, *gpu = NULL;
  SUCCEEDS(tw_explain(column, 3, NULL, &both));
  tw_explain_options options = {"h100", TW_EXPLAIN_HOST, 1, 0};
  SUCCEEDS(tw_explain(column, 1, &options, &host));
  options = (tw_explain_options){"h100", TW_EXPLAIN_GPU, 0, 0};
  SUCCEEDS(tw_explain(column, 1, &options, &gpu));
  int64_t length = 0;
  char picture[10];
  SUCCEEDS(tw_picture_svg(column, 1, picture, sizeof picture, &length));
  CHECK(strncmp(picture, "<svg xmln", sizeof picture) == 0 && length > (int64_t)sizeof picture);
  tw_plan_free(column);  // explanations keep nothing of it

  CHECK(says(tw_explanation_text(both), "pack, host memory") &&
        says(tw_explanation_text(both), "\n  NVIDIA H200\n"));
  CHECK(says(tw_explanation_json(both), "\"count\": 3,") &&
        says(tw_explanation_json(both), "\"engine\": \"gpu\""));
  CHECK(says(tw_explanation_text(host), "measured   ") && !says(tw_explanation_text(host), "device memory"));
  CHECK(says(tw_explanation_json(host), "\"engine\": \"host\"") &&
        !says(tw_explanation_json(host), "\"engine\": \"gpu\""));
  CHECK(says(tw_explanation_text(gpu), "\n  NVIDIA H100 80GB HBM3\n") &&
        !says(tw_explanation_text(gpu), "pack, host memory"));
  tw_explanation_free(both);
  tw_explanation_free(host);
  tw_explanation_free(gpu);
  tw_explanation_free(NULL);
}

static void surroundings(void) {
  int kind = -1, device = 7;
  SUCCEEDS(tw_pointer_info(&kind, &kind, &device));
  CHECK(kind == TW_MEMORY_HOST && device == -1);
  CHECK(tw_gpu_present() <= tw_built_with_gpu());
  CHECK(tw_gpu_present() || tw_kernel_launches() == 0);
  CHECK(strcmp(tw_version(), TYPEWARP_VERSION) == 0);
  CHECK(tw_abi_version() == TYPEWARP_ABI_VERSION);
}

static void errors(void) {
  CHECK(strcmp(tw_error_text(), "") == 0 && strcmp(tw_error_argument(), "") == 0);
  CHECK(tw_datatype_named(-1) == NULL);
  CHECK(strcmp(tw_error_argument(), "named") == 0);
  surroundings();  // what succeeds changes nothing
  CHECK(strcmp(tw_error_argument(), "named") == 0);
}

int main(void) {
  errors();
  tw_plan* const column = plan_of_column();
  tw_plan* const row = plan_of_row();
  pack_and_unpack(column, row);
  batches(column, row);
  indexed_copies(column);
  persistent();
  reduction();
  explanations();
  tw_plan_free(column);
  tw_plan_free(row);
  tw_plan_free(NULL);
  tw_datatype_free(NULL);
  tw_batch_free(NULL);
  tw_indexed_copy_free(NULL);
  tw_persistent_free(NULL);
  return finish();
}
