// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// usage: late_end static|handler|library|main <kind of memory> [always]: a program that calls MPI_Finalize
// after main(), in the destructor of a static object, in an exit handler of before MPI_Init, or in the
// destructor of a library; or in main() itself. Messages go before it, and in callbacks of attributes of
// MPI_COMM_SELF, within it; those after main() are of host memory unless it says always, as a GPU may be
// gone. Says in the last callback whether they were right.
extern "C" {
#include "../common/memory.h"
}

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

extern "C" void (*late_library_end)(void);

namespace {

constexpr int callbacks = 2;  // of attributes of MPI_COMM_SELF
int rank = 0, size = 0, wrong = 0, called = 0;
MPI_Request started_again[2];
int sent_again = 0, received_again = -1;
bool is_kind_there = true;

/// `count` numbers in memory of the kind, or of the host.
class Numbers {
 public:
  Numbers(int count, int value) : bytes_(count * sizeof(int)) {
    data_ = static_cast<int*>(is_of_kind_ ? memory_get(bytes_) : std::malloc(bytes_));
    write(std::vector<int>(count, value));
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers() { is_of_kind_ ? memory_free(data_) : std::free(data_); }

  void write(const std::vector<int>& values) {
    if (is_of_kind_) return memory_write(data_, values.data(), bytes_);
    std::memcpy(data_, values.data(), bytes_);
  }
  std::vector<int> read() const {
    std::vector<int> values(bytes_ / sizeof(int));
    if (is_of_kind_) {
      memory_read(values.data(), data_, bytes_);
    } else {
      std::memcpy(values.data(), data_, bytes_);
    }
    return values;
  }
  int* data() const { return data_; }

 private:
  bool is_of_kind_ = is_kind_there;
  std::size_t bytes_;
  int* data_;
};

void expect(bool right, const char* what) {
  if (right) return;
  ++wrong;
  std::printf("rank %d: wrong: %s\n", rank, what);
}

/// Every second number, by calls that block and by calls that do not.
void send_on(int numbers, int tag) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  Numbers sent(2 * numbers, 0), received(2 * numbers, -1), again(2 * numbers, -1);
  std::vector<int> values(2 * numbers);
  for (int i = 0; i < 2 * numbers; ++i) values[i] = 1000 * rank + tag + i;
  sent.write(values);
  const auto came = [&](const Numbers& there) {
    const std::vector<int> all = there.read();
    bool is_right = true;
    for (int i = 0; i < 2 * numbers; ++i) is_right &= all[i] == (i % 2 == 0 ? 1000 * left + tag + i : -1);
    return is_right;
  };
  MPI_Datatype every_second;
  MPI_Type_vector(numbers, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Sendrecv(sent.data(), 1, every_second, right, tag, received.data(), 1, every_second, left, tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(came(received), "MPI_Sendrecv");
  MPI_Request requests[2];
  MPI_Irecv(again.data(), 1, every_second, left, tag + 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent.data(), 1, every_second, right, tag + 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  expect(came(again), "MPI_Irecv");
  MPI_Type_free(&every_second);
}

/// The error of a request is kept for the thread that waits for it.
void truncate() {
  int sent[1000]{}, received[100]{};
  MPI_Request requests[2];
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Irecv(received, 100, MPI_INT, 0, 0, own, &requests[0]);
  MPI_Isend(sent, 1000, MPI_INT, 0, 0, own, &requests[1]);
  expect(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) != MPI_SUCCESS, "a truncated message is an error");
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Comm_free(&own);
}

void communicate() {
  constexpr int few = 10, many = 100000;
  send_on(few, 10);
  send_on(many, 20);
  truncate();
  const Numbers four(4, rank), to(size * many, rank), from(size * many, -1), sums(many, -1);
  MPI_Bcast(four.data(), 4, MPI_INT, size - 1, MPI_COMM_WORLD);
  expect(std::ranges::count(four.read(), size - 1) == 4, "MPI_Bcast");
  MPI_Alltoall(to.data(), many, MPI_INT, from.data(), many, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> all = from.read();
  for (int i = 0; i < size; ++i)
    expect(std::count(all.begin() + i * many, all.begin() + (i + 1) * many, i) == many, "MPI_Alltoall");
  MPI_Allreduce(to.data(), sums.data(), many, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(std::ranges::count(sums.read(), size * (size - 1) / 2) == many, "MPI_Allreduce");
  sent_again = 100 + rank + called;
  MPI_Startall(2, started_again);
  MPI_Waitall(2, started_again, MPI_STATUSES_IGNORE);
  expect(received_again == 100 + (rank + size - 1) % size + called, "a persistent receive");
}

int of_self(MPI_Comm, int, void*, void*) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  expect(finalized == 0, "MPI is not finalized");
  ++called;
  communicate();
  if (called == callbacks) std::printf("rank %d: %s\n", rank, wrong == 0 ? "all is right" : "wrong");
  std::fflush(stdout);  // what is said later may be lost
  return MPI_SUCCESS;
}

void start() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memory_device(rank);
  MPI_Recv_init(&received_again, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &started_again[0]);
  MPI_Send_init(&sent_again, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &started_again[1]);
  for (int i = 0; i < callbacks; ++i) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, of_self, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  }
  communicate();
}

void finish() {
  communicate();
  MPI_Finalize();
  if (wrong != 0 || called != callbacks) std::_Exit(1);
}

struct Late {
  ~Late() {
    if (is_last) finish();
  }
  bool is_last = false;
} late;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view how = argv[1];
  memory_kind(argv[2]);
  late.is_last = how == "static";
  if (how == "handler") std::atexit(finish);
  if (how == "library") late_library_end = finish;
  start();
  is_kind_there = how == "main" || argc > 3;
  if (how == "main") finish();
  return 0;
}
