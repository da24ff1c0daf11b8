// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What each call without MPI refuses, by the name that its header gives to the argument. What a call that
// fails would have stored stays as it was.
#include "check.h"

#include <typewarp.h>

static const int64_t one[] = {1}, negative[] = {-1}, zero[] = {0};

static void constructors(const tw_datatype* child) {
  static const int block[] = {TW_DISTRIBUTE_BLOCK}, no_distribution[] = {3};
  static const int64_t default_argument[] = {TW_DISTRIBUTE_DEFAULT_ARGUMENT};
  const tw_datatype* const children[] = {child};
  const tw_datatype* const nobody[] = {NULL};
  tw_datatype* made = NULL;

  REFUSED("count", tw_datatype_contiguous(-1, child, &made));
  REFUSED("child", tw_datatype_contiguous(1, NULL, &made));
  REFUSED("datatype", tw_datatype_contiguous(1, child, NULL));
  REFUSED("count", tw_datatype_vector(-1, 1, 1, child, &made));
  REFUSED("blocklength", tw_datatype_vector(1, -1, 1, child, &made));
  REFUSED("child", tw_datatype_vector(1, 1, 1, NULL, &made));
  REFUSED("stride", tw_datatype_vector(2, 1, INT64_MAX, child, &made));
  REFUSED("datatype", tw_datatype_vector(1, 1, 1, child, NULL));
  REFUSED("count", tw_datatype_hvector(-1, 1, 1, child, &made));
  REFUSED("blocklength", tw_datatype_hvector(1, -1, 1, child, &made));
  REFUSED("child", tw_datatype_hvector(1, 1, 1, NULL, &made));
  REFUSED("datatype", tw_datatype_hvector(1, 1, 1, child, NULL));

  REFUSED("count", tw_datatype_indexed(-1, one, one, child, &made));
  REFUSED("blocklengths", tw_datatype_indexed(1, NULL, one, child, &made));
  REFUSED("blocklengths[0]", tw_datatype_indexed(1, negative, one, child, &made));
  REFUSED("displacements", tw_datatype_indexed(1, one, NULL, child, &made));
  REFUSED("child", tw_datatype_indexed(1, one, one, NULL, &made));
  REFUSED("datatype", tw_datatype_indexed(1, one, one, child, NULL));
  REFUSED("count", tw_datatype_hindexed(-1, one, one, child, &made));
  REFUSED("blocklengths", tw_datatype_hindexed(1, NULL, one, child, &made));
  REFUSED("blocklengths[0]", tw_datatype_hindexed(1, negative, one, child, &made));
  REFUSED("displacements", tw_datatype_hindexed(1, one, NULL, child, &made));
  REFUSED("child", tw_datatype_hindexed(1, one, one, NULL, &made));
  REFUSED("datatype", tw_datatype_hindexed(1, one, one, child, NULL));
  REFUSED("count", tw_datatype_indexed_block(-1, 1, one, child, &made));
  REFUSED("blocklength", tw_datatype_indexed_block(1, -1, one, child, &made));
  REFUSED("displacements", tw_datatype_indexed_block(1, 1, NULL, child, &made));
  REFUSED("child", tw_datatype_indexed_block(1, 1, one, NULL, &made));
  REFUSED("datatype", tw_datatype_indexed_block(1, 1, one, child, NULL));
  REFUSED("count", tw_datatype_hindexed_block(-1, 1, one, child, &made));
  REFUSED("blocklength", tw_datatype_hindexed_block(1, -1, one, child, &made));
  REFUSED("displacements", tw_datatype_hindexed_block(1, 1, NULL, child, &made));
  REFUSED("child", tw_datatype_hindexed_block(1, 1, one, NULL, &made));
  REFUSED("datatype", tw_datatype_hindexed_block(1, 1, one, child, NULL));

  REFUSED("count", tw_datatype_struct(-1, one, one, children, &made));
  REFUSED("blocklengths", tw_datatype_struct(1, NULL, one, children, &made));
  REFUSED("blocklengths[0]", tw_datatype_struct(1, negative, one, children, &made));
  REFUSED("displacements", tw_datatype_struct(1, one, NULL, children, &made));
  REFUSED("children", tw_datatype_struct(1, one, one, NULL, &made));
  REFUSED("children[0]", tw_datatype_struct(1, one, one, nobody, &made));
  REFUSED("datatype", tw_datatype_struct(1, one, one, children, NULL));

  REFUSED("dimensions", tw_datatype_subarray(-1, one, one, zero, TW_ORDER_C, child, &made));
  REFUSED("sizes", tw_datatype_subarray(0, NULL, NULL, NULL, TW_ORDER_C, child, &made));
  REFUSED("sizes", tw_datatype_subarray(1, NULL, one, zero, TW_ORDER_C, child, &made));
  REFUSED("sizes[0]", tw_datatype_subarray(1, negative, one, zero, TW_ORDER_C, child, &made));
  REFUSED("subsizes", tw_datatype_subarray(1, one, NULL, zero, TW_ORDER_C, child, &made));
  REFUSED("starts", tw_datatype_subarray(1, one, one, NULL, TW_ORDER_C, child, &made));
  REFUSED("starts[0]", tw_datatype_subarray(1, one, one, one, TW_ORDER_C, child, &made));
  REFUSED("order", tw_datatype_subarray(1, one, one, zero, 2, child, &made));
  REFUSED("child", tw_datatype_subarray(1, one, one, zero, TW_ORDER_C, NULL, &made));
  REFUSED("datatype", tw_datatype_subarray(1, one, one, zero, TW_ORDER_C, child, NULL));

  REFUSED("size", tw_datatype_darray(2, 0, 1, one, block, default_argument, one, TW_ORDER_C, child, &made));
  REFUSED("rank", tw_datatype_darray(1, 1, 1, one, block, default_argument, one, TW_ORDER_C, child, &made));
  REFUSED("dimensions", tw_datatype_darray(1, 0, -1, one, block, default_argument, one, 0, child, &made));
  REFUSED("global_sizes", tw_datatype_darray(1, 0, 0, NULL, NULL, NULL, NULL, TW_ORDER_C, child, &made));
  REFUSED("global_sizes", tw_datatype_darray(1, 0, 1, NULL, block, default_argument, one, 0, child, &made));
  REFUSED("distributions", tw_datatype_darray(1, 0, 1, one, NULL, default_argument, one, 0, child, &made));
  REFUSED("distributions[0]",
          tw_datatype_darray(1, 0, 1, one, no_distribution, default_argument, one, 0, child, &made));
  REFUSED("distribution_arguments", tw_datatype_darray(1, 0, 1, one, block, NULL, one, 0, child, &made));
  REFUSED("process_sizes", tw_datatype_darray(1, 0, 1, one, block, default_argument, NULL, 0, child, &made));
  REFUSED("order", tw_datatype_darray(1, 0, 1, one, block, default_argument, one, -1, child, &made));
  REFUSED("child", tw_datatype_darray(1, 0, 1, one, block, default_argument, one, TW_ORDER_C, NULL, &made));
  REFUSED("datatype", tw_datatype_darray(1, 0, 1, one, block, default_argument, one, 0, child, NULL));

  REFUSED("child", tw_datatype_resized(NULL, 0, 8, &made));
  REFUSED("datatype", tw_datatype_resized(child, 0, 8, NULL));
  REFUSED("child", tw_datatype_dup(NULL, &made));
  REFUSED("datatype", tw_datatype_dup(child, NULL));
  REFUSED("dimensions", tw_datatype_array(-1, one, one, TW_INT, &made));
  static const int64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  REFUSED("dimensions", tw_datatype_array(9, ones, NULL, TW_INT, &made));
  REFUSED("sizes", tw_datatype_array(1, NULL, one, TW_INT, &made));
  REFUSED("sizes[0]", tw_datatype_array(1, negative, one, TW_INT, &made));
  REFUSED("element", tw_datatype_array(1, one, one, -1, &made));
  REFUSED("datatype", tw_datatype_array(1, one, one, TW_INT, NULL));
  CHECK(made == NULL);
  CHECK(tw_datatype_named(TW_2INTEGER + 1) == NULL && strcmp(tw_error_argument(), "named") == 0);
}

static void queries(const tw_datatype* datatype) {
  int64_t number = -5;
  int flag = -5;
  char text[4] = "abc";
  REFUSED("datatype", tw_datatype_get_size(NULL, &number, &number));
  REFUSED("datatype", tw_datatype_get_extent(NULL, &number, &number));
  REFUSED("datatype", tw_datatype_get_true_extent(NULL, &number, &number));
  REFUSED("datatype", tw_datatype_elements_in(NULL, 8, &number));
  REFUSED("bytes", tw_datatype_elements_in(datatype, -1, &number));
  REFUSED("elements", tw_datatype_elements_in(datatype, 8, NULL));
  REFUSED("datatype", tw_datatype_is_contiguous(NULL, &flag));
  REFUSED("contiguous", tw_datatype_is_contiguous(datatype, NULL));
  REFUSED("one", tw_datatype_same_signature(NULL, datatype, &flag));
  REFUSED("other", tw_datatype_same_signature(datatype, NULL, &flag));
  REFUSED("same", tw_datatype_same_signature(datatype, datatype, NULL));
  REFUSED("datatype", tw_datatype_to_string(NULL, text, 4, &number));
  REFUSED("text", tw_datatype_to_string(datatype, NULL, 4, &number));
  REFUSED("capacity", tw_datatype_to_string(datatype, text, -1, &number));
  REFUSED("plan", tw_plan_get(NULL, &number, &number));
  REFUSED("plan", tw_plan_to_string(NULL, text, 4, &number));
  REFUSED("plan", tw_plan_hints(NULL, text, 4, &number));
  CHECK(number == -5 && flag == -5 && strcmp(text, "abc") == 0);
}

static void plans(const tw_datatype* datatype, tw_plan** plan) {
  tw_plan* made = NULL;
  tw_plan* hinted = NULL;
  int64_t number = -5;
  char text[4] = "abc";
  REFUSED("plan", tw_plan_with_hint(NULL, "max_blocks", "8", &hinted));
  REFUSED("datatype", tw_plan_commit(NULL, &made));
  REFUSED("plan", tw_plan_commit(datatype, NULL));
  CHECK(made == NULL);
  SUCCEEDS(tw_plan_commit(datatype, plan));
  REFUSED("text", tw_plan_to_string(*plan, NULL, 4, &number));
  REFUSED("text", tw_plan_hints(*plan, NULL, 4, &number));
  REFUSED("hinted", tw_plan_with_hint(*plan, "max_blocks", "8", NULL));
  REFUSED("key", tw_plan_with_hint(*plan, NULL, "8", &hinted));
  REFUSED("key", tw_plan_with_hint(*plan, "blocks", "8", &hinted));
  REFUSED("value", tw_plan_with_hint(*plan, "max_blocks", NULL, &hinted));
  REFUSED("value", tw_plan_with_hint(*plan, "max_blocks", "-8", &hinted));
  REFUSED("capacity", tw_plan_to_string(*plan, text, -1, &number));
  CHECK(number == -5 && strcmp(text, "abc") == 0 && hinted == NULL);
}

static const tw_byte_range too_far = {0, 9}, backwards = {8, 0};

static void calls(const tw_plan* plan) {
  double from = 1, to = 2;
  REFUSED("count", tw_pack(&from, -1, plan, &to, NULL, NULL));
  REFUSED("count", tw_pack(&from, INT64_MAX, plan, &to, NULL, NULL));
  REFUSED("plan", tw_pack(&from, 1, NULL, &to, NULL, NULL));
  REFUSED("packed", tw_pack(&from, 1, plan, NULL, NULL, NULL));
  REFUSED("range", tw_pack(&from, 1, plan, &to, &too_far, NULL));
  REFUSED("range", tw_pack(&from, 1, plan, &to, &backwards, NULL));
  REFUSED("count", tw_unpack(&from, &to, -1, plan, NULL, NULL));
  REFUSED("plan", tw_unpack(&from, &to, 1, NULL, NULL, NULL));
  REFUSED("packed", tw_unpack(NULL, &to, 1, plan, NULL, NULL));
  REFUSED("range", tw_unpack(&from, &to, 1, plan, &too_far, NULL));
  REFUSED("source_count", tw_copy(&from, -1, plan, &to, 1, plan, NULL, NULL));
  REFUSED("source_plan", tw_copy(&from, 1, NULL, &to, 1, plan, NULL, NULL));
  REFUSED("destination_count", tw_copy(&from, 1, plan, &to, 2, plan, NULL, NULL));
  REFUSED("destination_plan", tw_copy(&from, 1, plan, &to, 1, NULL, NULL, NULL));
  REFUSED("range", tw_copy(&from, 1, plan, &to, 1, plan, &too_far, NULL));
  REFUSED("count", tw_host_pack(&from, -1, plan, &to, NULL, 1));
  REFUSED("plan", tw_host_pack(&from, 1, NULL, &to, NULL, 1));
  REFUSED("packed", tw_host_pack(&from, 1, plan, NULL, NULL, 1));
  REFUSED("range", tw_host_pack(&from, 1, plan, &to, &too_far, 1));
  REFUSED("threads", tw_host_pack(&from, 1, plan, &to, NULL, -1));
  REFUSED("count", tw_host_unpack(&from, &to, -1, plan, NULL, 1));
  REFUSED("plan", tw_host_unpack(&from, &to, 1, NULL, NULL, 1));
  REFUSED("packed", tw_host_unpack(NULL, &to, 1, plan, NULL, 1));
  REFUSED("range", tw_host_unpack(&from, &to, 1, plan, &too_far, 1));
  REFUSED("threads", tw_host_unpack(&from, &to, 1, plan, NULL, -1));
  REFUSED("source_count", tw_host_copy(&from, -1, plan, &to, 1, plan, NULL, 1));
  REFUSED("source_plan", tw_host_copy(&from, 1, NULL, &to, 1, plan, NULL, 1));
  REFUSED("destination_count", tw_host_copy(&from, 1, plan, &to, 2, plan, NULL, 1));
  REFUSED("destination_plan", tw_host_copy(&from, 1, plan, &to, 1, NULL, NULL, 1));
  REFUSED("range", tw_host_copy(&from, 1, plan, &to, 1, plan, &too_far, 1));
  REFUSED("threads", tw_host_copy(&from, 1, plan, &to, 1, plan, NULL, -1));
  REFUSED("kind", tw_pointer_info(&from, NULL, NULL));
  REFUSED("in", tw_reduce_local(NULL, &to, 1, TW_DOUBLE, TW_SUM, NULL));
  REFUSED("inout", tw_reduce_local(&from, NULL, 1, TW_DOUBLE, TW_SUM, NULL));
  REFUSED("count", tw_reduce_local(&from, &to, -1, TW_DOUBLE, TW_SUM, NULL));
  REFUSED("type", tw_reduce_local(&from, &to, 1, TW_BYTE, TW_SUM, NULL));
  REFUSED("type", tw_reduce_local(&from, &to, 1, -1, TW_SUM, NULL));
  REFUSED("operation", tw_reduce_local(&from, &to, 1, TW_DOUBLE, TW_MAXLOC + 1, NULL));
  CHECK(from == 1 && to == 2);
}

static void registrations(void) {
  double numbers[2] = {1, 2};
  tw_registered_memory* mine = NULL;
  tw_remote_memory* remote = NULL;
  const tw_memory_range range = {numbers, sizeof numbers};
  REFUSED("count", tw_registered_memory_create(-1, &range, 0, 0, &mine));
  REFUSED("ranges", tw_registered_memory_create(1, NULL, 0, 0, &mine));
  REFUSED("ranges[0].address", tw_registered_memory_create(1, &range, 0, 0, &mine));
  REFUSED("options.signals", tw_registered_memory_create(1, &range, -1, 0, &mine));
  REFUSED("options.time_limit", tw_registered_memory_create(1, &range, 0, -1, &mine));
  REFUSED("registered_memory", tw_registered_memory_create(1, &range, 0, 0, NULL));
  REFUSED("registered_memory", tw_registered_memory_end(NULL));
  REFUSED("handle", tw_remote_memory_create(NULL, 8, -1, &remote));
  REFUSED("bytes", tw_remote_memory_create(numbers, -1, -1, &remote));
  REFUSED("handle", tw_remote_memory_create(numbers, sizeof numbers, -1, &remote));
  REFUSED("remote_memory", tw_remote_memory_check(NULL));
  CHECK(mine == NULL && remote == NULL);
}

static void indexed_copies(const tw_plan* plan) {
  double from[2] = {1, 2}, to[2] = {3, 4};
  tw_indexed_copy* copy = NULL;
  const tw_item_array source = {from, 2, sizeof(double), plan}, destination = {to, 2, sizeof(double), plan};
  const tw_item_array no_plan = {from, 2, sizeof(double), NULL}, no_count = {from, -1, sizeof(double), plan};
  const int past[] = {0, 2};
  const tw_index_list all = {NULL, 0}, wrong = {past, 4}, odd = {past, 2};
  REFUSED("count", tw_indexed_copy_create(-1, &source, &destination, &copy));
  REFUSED("source", tw_indexed_copy_create(1, NULL, &destination, &copy));
  REFUSED("destination", tw_indexed_copy_create(1, &source, NULL, &copy));
  REFUSED("source[0].plan", tw_indexed_copy_create(1, &no_plan, &destination, &copy));
  REFUSED("source[0].count", tw_indexed_copy_create(1, &no_count, &destination, &copy));
  REFUSED("indexed_copy", tw_indexed_copy_create(1, &source, &destination, NULL));
  CHECK(copy == NULL);
  REFUSED("indexed_copy", tw_indexed_copy_start(NULL, all, all, 1, NULL));
  REFUSED("indexed_copy", tw_indexed_copy_check(NULL));
  SUCCEEDS(tw_indexed_copy_create(1, &source, &destination, &copy));
  REFUSED("count", tw_indexed_copy_start(copy, all, all, -1, NULL));
  REFUSED("count", tw_indexed_copy_start(copy, all, all, 3, NULL));
  REFUSED("from[1]", tw_indexed_copy_start(copy, wrong, all, 2, NULL));
  REFUSED("to[1]", tw_indexed_copy_start(copy, all, wrong, 2, NULL));
  REFUSED("to.bytes", tw_indexed_copy_start(copy, all, odd, 2, NULL));
  tw_indexed_copy_free(copy);
  CHECK(to[0] == 3 && to[1] == 4);
}

static void batches(const tw_plan* plan) {
  double from = 1, to = 2;
  tw_batch* batch = NULL;
  const tw_piece piece = {&from, 1, plan, 0};
  const tw_piece no_plan[] = {piece, {&from, 1, NULL, 0}};
  const tw_piece no_count[] = {piece, {&from, -1, plan, 0}};
  const tw_piece no_place[] = {{&from, 1, plan, -8}};
  REFUSED("count", tw_batch_create(-1, &piece, &to, &batch));
  REFUSED("pieces", tw_batch_create(1, NULL, &to, &batch));
  REFUSED("pieces[1].plan", tw_batch_create(2, no_plan, &to, &batch));
  REFUSED("pieces[1].count", tw_batch_create(2, no_count, &to, &batch));
  REFUSED("pieces[0].place", tw_batch_create(1, no_place, &to, &batch));
  REFUSED("packed", tw_batch_create(1, &piece, NULL, &batch));
  REFUSED("batch", tw_batch_create(1, &piece, &to, NULL));
  CHECK(batch == NULL);
  REFUSED("batch", tw_batch_pack(NULL, NULL));
  REFUSED("batch", tw_batch_unpack(NULL, NULL));
  REFUSED("count", tw_pack_pieces(-1, &piece, &to, NULL));
  REFUSED("pieces", tw_pack_pieces(1, NULL, &to, NULL));
  REFUSED("pieces[1].plan", tw_pack_pieces(2, no_plan, &to, NULL));
  REFUSED("packed", tw_pack_pieces(1, &piece, NULL, NULL));
  REFUSED("count", tw_unpack_pieces(&to, -1, &piece, NULL));
  REFUSED("pieces", tw_unpack_pieces(&to, 1, NULL, NULL));
  REFUSED("pieces[1].count", tw_unpack_pieces(&to, 2, no_count, NULL));
  REFUSED("packed", tw_unpack_pieces(NULL, 1, &piece, NULL));
  CHECK(from == 1 && to == 2);
}

static void persistent(const tw_plan* plan) {
  double from = 1, to = 2;
  tw_persistent* made = NULL;
  const int device = TW_DEVICE_OF_DATA;
  REFUSED("count", tw_persistent_pack_init(&from, -1, plan, &to, NULL, device, &made));
  REFUSED("plan", tw_persistent_pack_init(&from, 1, NULL, &to, NULL, device, &made));
  REFUSED("packed", tw_persistent_pack_init(&from, 1, plan, NULL, NULL, device, &made));
  REFUSED("range", tw_persistent_pack_init(&from, 1, plan, &to, &too_far, device, &made));
  REFUSED("operation", tw_persistent_pack_init(&from, 1, plan, &to, NULL, device, NULL));
  REFUSED("count", tw_persistent_unpack_init(&from, &to, -1, plan, NULL, device, &made));
  REFUSED("plan", tw_persistent_unpack_init(&from, &to, 1, NULL, NULL, device, &made));
  REFUSED("packed", tw_persistent_unpack_init(NULL, &to, 1, plan, NULL, device, &made));
  REFUSED("range", tw_persistent_unpack_init(&from, &to, 1, plan, &too_far, device, &made));
  REFUSED("operation", tw_persistent_unpack_init(&from, &to, 1, plan, NULL, device, NULL));
  REFUSED("source_count", tw_persistent_copy_init(&from, -1, plan, &to, 1, plan, NULL, device, &made));
  REFUSED("source_plan", tw_persistent_copy_init(&from, 1, NULL, &to, 1, plan, NULL, device, &made));
  REFUSED("destination_count", tw_persistent_copy_init(&from, 1, plan, &to, 2, plan, NULL, device, &made));
  REFUSED("destination_plan", tw_persistent_copy_init(&from, 1, plan, &to, 1, NULL, NULL, device, &made));
  REFUSED("range", tw_persistent_copy_init(&from, 1, plan, &to, 1, plan, &too_far, device, &made));
  REFUSED("operation", tw_persistent_copy_init(&from, 1, plan, &to, 1, plan, NULL, device, NULL));
  CHECK(made == NULL);
  int done = -5;
  REFUSED("operation", tw_persistent_start(NULL, NULL));
  REFUSED("operation", tw_persistent_start_at(NULL, &from, &to, NULL));
  REFUSED("operation", tw_persistent_done(NULL, &done));
  REFUSED("operation", tw_persistent_wait(NULL));
  SUCCEEDS(tw_persistent_pack_init(&from, 1, plan, &to, NULL, device, &made));
  REFUSED("done", tw_persistent_done(made, NULL));
  REFUSED("destination", tw_persistent_start_at(made, &from, NULL, NULL));
  CHECK(done == -5 && to == 2);
  SUCCEEDS(tw_persistent_start(made, NULL));  // nothing has changed
  CHECK(to == 1);
  tw_persistent_free(made);
}

static void explanations(const tw_plan* plan) {
  tw_explanation* made = NULL;
  int64_t number = -5;
  char text[4] = "abc";
  const tw_explain_options no_machine = {"h300", TW_EXPLAIN_ALL, 0, 0};
  const tw_explain_options no_engine = {NULL, TW_EXPLAIN_HOST + 1, 0, 0};
  REFUSED("plan", tw_explain(NULL, 1, NULL, &made));
  REFUSED("count", tw_explain(plan, -1, NULL, &made));
  REFUSED("count", tw_explain(plan, INT64_MAX, NULL, &made));
  REFUSED("options.machine", tw_explain(plan, 1, &no_machine, &made));
  REFUSED("options.engines", tw_explain(plan, 1, &no_engine, &made));
  REFUSED("explanation", tw_explain(plan, 1, NULL, NULL));
  CHECK(made == NULL);
  CHECK(tw_explanation_text(NULL) == NULL && strcmp(tw_error_argument(), "explanation") == 0);
  CHECK(tw_explanation_json(NULL) == NULL && strncmp(tw_error_text(), "tw_explanation_json: ", 21) == 0);
  REFUSED("plan", tw_picture_svg(NULL, 1, text, 4, &number));
  REFUSED("count", tw_picture_svg(plan, -1, text, 4, &number));
  REFUSED("text", tw_picture_svg(plan, 1, NULL, 4, &number));
  REFUSED("capacity", tw_picture_svg(plan, 1, text, -1, &number));
  CHECK(number == -5 && strcmp(text, "abc") == 0);
}

static int alone(const void* own, int64_t bytes, void* all, void* argument) {
  (void)argument;
  memcpy(all, own, (size_t)bytes);
  return 0;
}

static void device_groups(void) {
  const tw_device_group_options wrong_limit = {-1, TW_CURRENT_DEVICE};
  tw_ranks* ranks = NULL;
  tw_device_group* group = NULL;
  int done = -5;
  SUCCEEDS(tw_ranks_create(0, 1, alone, NULL, &ranks));
  REFUSED("ranks", tw_device_group_create(NULL, NULL, &group));
  REFUSED("group", tw_device_group_create(ranks, NULL, NULL));
  REFUSED("options.time_limit", tw_device_group_create(ranks, &wrong_limit, &group));
  REFUSED("group", tw_allreduce(NULL, NULL, NULL, 0, TW_INT, TW_SUM, NULL));
  REFUSED("group", tw_reduce(NULL, NULL, NULL, 0, TW_INT, TW_SUM, 0, NULL));
  REFUSED("group", tw_reduce_scatter(NULL, NULL, NULL, one, TW_INT, TW_SUM, NULL));
  REFUSED("group", tw_scan(NULL, NULL, NULL, 0, TW_INT, TW_SUM, NULL));
  REFUSED("group", tw_exscan(NULL, NULL, NULL, 0, TW_INT, TW_SUM, NULL));
  REFUSED("group", tw_allgather(NULL, NULL, NULL, 0, NULL));
  REFUSED("group", tw_allgatherv(NULL, NULL, NULL, one, NULL));
  REFUSED("group", tw_alltoall(NULL, NULL, NULL, 0, NULL));
  REFUSED("group", tw_broadcast(NULL, NULL, 0, 0, NULL));
  REFUSED("group", tw_device_group_register_memory(NULL, NULL, 1));
  REFUSED("group", tw_device_group_deregister_memory(NULL, NULL));
  REFUSED("group", tw_device_group_done(NULL, &done));
  REFUSED("group", tw_device_group_wait(NULL));
  tw_device_group_free(NULL);
  tw_ranks_free(ranks);
  CHECK(group == NULL && done == -5);
}

int main(void) {
  const tw_datatype* const number = tw_datatype_named(TW_DOUBLE);
  tw_plan* plan = NULL;
  constructors(number);
  queries(number);
  plans(number, &plan);
  calls(plan);
  batches(plan);
  indexed_copies(plan);
  registrations();
  persistent(plan);
  explanations(plan);
  tw_plan_free(plan);
  device_groups();
  return finish();
}
