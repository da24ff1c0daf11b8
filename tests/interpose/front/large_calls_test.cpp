// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The large-count calls of a core where the MPI, which is here, has none.

#include <mpi.h>

#include <gtest/gtest.h>

#include <climits>

namespace {

constexpr MPI_Count too_many = MPI_Count{INT_MAX} + 1;
constexpr MPI_Comm comm = MPI_COMM_SELF;

/// What the int calls were asked for.
struct Asked {
  const char* call = "";
  int count = -1;
  int raised = MPI_SUCCESS;
};
Asked asked;

int note(const char* call, int count) {
  asked.call = call;
  asked.count = count;
  return MPI_SUCCESS;
}

void expect_asked(const char* call, int count) {
  EXPECT_STREQ(asked.call, call);
  EXPECT_EQ(asked.count, count);
  asked = {};
}

}  // namespace

extern "C" {

int PMPI_Comm_call_errhandler(MPI_Comm, int code) {
  asked.raised = code;
  return MPI_SUCCESS;
}
int PMPI_Send(const void*, int count, MPI_Datatype, int, int, MPI_Comm) { return note("Send", count); }
int PMPI_Bsend(const void*, int count, MPI_Datatype, int, int, MPI_Comm) { return note("Bsend", count); }
int PMPI_Isend(const void*, int count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) {
  return note("Isend", count);
}
int PMPI_Issend(const void*, int count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) {
  return note("Issend", count);
}
int PMPI_Irecv(void*, int count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) {
  return note("Irecv", count);
}
int PMPI_Imrecv(void*, int count, MPI_Datatype, MPI_Message*, MPI_Request*) { return note("Imrecv", count); }
int PMPI_Get_count(const MPI_Status*, MPI_Datatype, int* count) {
  *count = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
int PMPI_Status_set_elements_x(MPI_Status*, MPI_Datatype, MPI_Count count) {
  return note("Status_set_elements_x", count == too_many ? 1 : 0);
}
int PMPI_Type_size_x(MPI_Datatype, MPI_Count* size) {
  *size = too_many;
  return MPI_SUCCESS;
}
int PMPI_Type_get_extent_x(MPI_Datatype, MPI_Count* lb, MPI_Count* extent) {
  *lb = -1;
  *extent = too_many;
  return MPI_SUCCESS;
}
int PMPI_Type_get_true_extent_x(MPI_Datatype, MPI_Count* lb, MPI_Count* extent) {
  *lb = -2;
  *extent = too_many;
  return MPI_SUCCESS;
}
int PMPI_Type_get_envelope(MPI_Datatype, int* integers, int* addresses, int* datatypes, int* combiner) {
  *integers = 3;
  *addresses = 1;
  *datatypes = 2;
  *combiner = MPI_COMBINER_HVECTOR;
  return MPI_ERR_TYPE;
}
int PMPI_Type_get_contents(MPI_Datatype, int max_integers, int max_addresses, int max_datatypes,
                           int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]) {
  integers[0] = max_integers;
  addresses[0] = max_addresses;
  datatypes[0] = max_datatypes;
  return MPI_SUCCESS;
}
}

namespace {

TEST(LargeCalls, CountByIntWhereThatSuffices) {
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_EQ(PMPI_Send_c(nullptr, INT_MAX, MPI_BYTE, 0, 0, comm), MPI_SUCCESS);
  expect_asked("Send", INT_MAX);
  PMPI_Bsend_c(nullptr, 5, MPI_BYTE, 0, 0, comm);
  expect_asked("Bsend", 5);
  PMPI_Isend_c(nullptr, 6, MPI_BYTE, 0, 0, comm, &request);
  expect_asked("Isend", 6);
  PMPI_Issend_c(nullptr, 7, MPI_BYTE, 0, 0, comm, &request);
  expect_asked("Issend", 7);
}

void expect_refused(int code) {
  EXPECT_EQ(code, MPI_ERR_COUNT);
  EXPECT_EQ(asked.raised, MPI_ERR_COUNT);
  expect_asked("", -1);
}

TEST(LargeCalls, RefuseToSendMore) {
  MPI_Request request = MPI_REQUEST_NULL;
  expect_refused(PMPI_Send_c(nullptr, too_many, MPI_BYTE, 0, 0, comm));
  expect_refused(PMPI_Bsend_c(nullptr, too_many, MPI_BYTE, 0, 0, comm));
  expect_refused(PMPI_Isend_c(nullptr, too_many, MPI_BYTE, 0, 0, comm, &request));
  expect_refused(PMPI_Issend_c(nullptr, too_many, MPI_BYTE, 0, 0, comm, &request));
}

TEST(LargeCalls, ReceiveIntoAsMuchRoomAsAMessageMayNeed) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  PMPI_Irecv_c(nullptr, too_many, MPI_BYTE, 0, 0, comm, &request);
  expect_asked("Irecv", INT_MAX);
  PMPI_Imrecv_c(nullptr, 9, MPI_BYTE, &message, &request);
  expect_asked("Imrecv", 9);
}

TEST(LargeCalls, TellOfStatusesAndTypes) {
  MPI_Status status{};
  MPI_Count value = 0;
  MPI_Count lb = 0;
  PMPI_Get_count_c(&status, MPI_BYTE, &value);
  EXPECT_EQ(value, MPI_UNDEFINED);
  PMPI_Status_set_elements_c(&status, MPI_BYTE, too_many);
  expect_asked("Status_set_elements_x", 1);
  PMPI_Type_size_c(MPI_BYTE, &value);
  EXPECT_EQ(value, too_many);
  PMPI_Type_get_extent_c(MPI_BYTE, &lb, &value);
  EXPECT_EQ(lb, -1);
  PMPI_Type_get_true_extent_c(MPI_BYTE, &lb, &value);
  EXPECT_EQ(lb, -2);
}

TEST(LargeCalls, DecodeTypes) {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 4;
  MPI_Count datatypes = 0;
  int combiner = 0;
  EXPECT_EQ(PMPI_Type_get_envelope_c(MPI_BYTE, &integers, &addresses, &large_counts, &datatypes, &combiner),
            MPI_ERR_TYPE);
  EXPECT_EQ(integers, 3);
  EXPECT_EQ(addresses, 1);
  EXPECT_EQ(large_counts, 0);
  EXPECT_EQ(datatypes, 2);
  EXPECT_EQ(combiner, MPI_COMBINER_HVECTOR);
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents_c(MPI_BYTE, 3, 1, 0, 2, &integer, &address, nullptr, &datatype);
  EXPECT_EQ(integer, 3);
  EXPECT_EQ(address, 1);
  EXPECT_EQ(datatype, 2);
}

}  // namespace
