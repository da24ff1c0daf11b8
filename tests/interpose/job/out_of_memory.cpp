// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// One rank sends to itself in each way that gives a request, again and again, and each time another
// allocation of the library fails: the first, the second, and so on, in whatever thread. Every call then
// gives an error or does what it must: nothing crashes, no request is lost, and no byte is wrong. Usage:
// out_of_memory <library>.

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr int blocks = 3000;
constexpr int most_rounds = 4000;

/// Where the library's code lies, and how many of its allocations there are until the one that fails; 0:
/// none.
const char *first_of_library = nullptr, *end_of_library = nullptr;
std::atomic<int> left = 0;
std::atomic<bool> sees_library = false;

bool fails(const void* caller) {
  const char* const from = static_cast<const char*>(caller);
  if (from < first_of_library || from >= end_of_library) return false;
  sees_library = true;
  for (int now = left; now > 0;) {
    if (left.compare_exchange_weak(now, now - 1)) return now == 1;
  }
  return false;
}

bool find(const char* library) {
  char line[512];
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    void *from = nullptr, *to = nullptr;
    if (std::strstr(line, library) == nullptr || std::sscanf(line, "%p-%p", &from, &to) != 2) continue;
    if (first_of_library == nullptr) first_of_library = static_cast<const char*>(from);
    end_of_library = static_cast<const char*>(to);
  }
  if (maps != nullptr) std::fclose(maps);
  return first_of_library != nullptr;
}

bool is_wrong = false;

void expect(bool right, const char* what, int round) {
  if (right) return;
  std::printf("round %d: %s\n", round, what);
  is_wrong = true;
}

struct Column {
  Column() : bytes(2 * blocks) {}
  static std::byte letter(int round, int i) { return static_cast<std::byte>(round + i % 251); }
  void fill(int round) {
    for (int i = 0; i < blocks; ++i) bytes[static_cast<std::size_t>(2 * i)] = letter(round, i);
  }
  bool holds(int round) const {
    for (int i = 0; i < blocks; ++i) {
      if (bytes[static_cast<std::size_t>(2 * i)] != letter(round, i)) return false;
    }
    return true;
  }
  std::vector<std::byte> bytes;
};

MPI_Datatype type;
MPI_Comm world() { return MPI_COMM_WORLD; }

/// What is left of a round ends when nothing fails any more: a receive for which nothing was sent is
/// cancelled, and what nobody receives is received here. Whether the receive got its message.
bool end(MPI_Request& sending, MPI_Request& receive, Column& to, bool has_receive, int tag) {
  left = 0;
  int there = 0;
  if (receive == MPI_REQUEST_NULL && !has_receive) {
    for (int i = 0; i < 200 && there == 0; ++i) MPI_Iprobe(0, tag, world(), &there, MPI_STATUS_IGNORE);
    if (there != 0) MPI_Recv(to.bytes.data(), 1, type, 0, tag, world(), MPI_STATUS_IGNORE);
  }
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  if (receive == MPI_REQUEST_NULL) return has_receive;
  int done = 0;
  MPI_Status status{};
  for (int i = 0; i < 200 && done == 0; ++i) MPI_Test(&receive, &done, &status);
  if (done == 0) {
    MPI_Cancel(&receive);
    MPI_Wait(&receive, &status);
  }
  MPI_Test_cancelled(&status, &done);
  return done == 0;
}

/// Whether all went well.
bool exchange(int round, Column& from, Column& to) {
  MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const bool receives = MPI_Irecv(to.bytes.data(), 1, type, 0, round, world(), &both[1]) == MPI_SUCCESS;
  const bool sends = MPI_Isend(from.bytes.data(), 1, type, 0, round, world(), &both[0]) == MPI_SUCCESS;
  bool fine = receives && sends && MPI_Waitall(2, both, MPI_STATUSES_IGNORE) == MPI_SUCCESS;
  if (!fine) end(both[0], both[1], to, receives, round);
  return fine;
}

bool start_both(int round, Column& from, Column& to) {
  MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  bool fine = MPI_Recv_init(to.bytes.data(), 1, type, 0, round, world(), &both[1]) == MPI_SUCCESS &&
              MPI_Send_init(from.bytes.data(), 1, type, 0, round, world(), &both[0]) == MPI_SUCCESS;
  const bool receives = fine && MPI_Start(&both[1]) == MPI_SUCCESS;
  const bool sends = receives && MPI_Start(&both[0]) == MPI_SUCCESS;
  fine = sends && MPI_Waitall(2, both, MPI_STATUSES_IGNORE) == MPI_SUCCESS;
  left = 0;
  if (receives && !sends) MPI_Cancel(&both[1]);
  for (MPI_Request& one : both) {
    if (one == MPI_REQUEST_NULL) continue;
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Request_free(&one);
  }
  return fine;
}

bool match(int round, Column& from, Column& to) {
  MPI_Request sending = MPI_REQUEST_NULL, none = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  bool fine = MPI_Isend(from.bytes.data(), 1, type, 0, round, world(), &sending) == MPI_SUCCESS;
  if (fine) fine = MPI_Mprobe(0, round, world(), &message, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  if (message != MPI_MESSAGE_NULL) {
    fine = MPI_Mrecv(to.bytes.data(), 1, type, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && fine;
    left = 0;
    if (message != MPI_MESSAGE_NULL) {  // it is still there, whole
      expect(
          MPI_Mrecv(to.bytes.data(), 1, type, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && to.holds(round),
          "a matched message is not lost", round);
    }
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
  } else {
    end(sending, none, to, false, round);
  }
  return fine;
}

bool both_at_once(int round, Column& from, Column& to) {
  const int code = MPI_Sendrecv(from.bytes.data(), 1, type, 0, round, to.bytes.data(), 1, type, 0, round,
                                world(), MPI_STATUS_IGNORE);
  MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (code != MPI_SUCCESS) end(none[0], none[1], to, false, round);
  return code == MPI_SUCCESS;
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (fails(__builtin_return_address(0))) throw std::bad_alloc();
  if (void* const made = std::malloc(bytes)) return made;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(world(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  // of errors that are of no request
  MPI_Type_vector(blocks, 1, 2, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  if (!find(argv[1])) return std::puts("the library is not there"), 1;
  for (auto* const way : {exchange, start_both, match, both_at_once}) {
    int round = 1;
    int well = 0;  // one after another: allocations of the other thread come when they like
    Column from;
    Column first;
    expect(way(0, from, first), "nothing fails where nothing lacks", 0);  // and the datatype has its plan
    if (!sees_library) {
      std::puts("skipped: needs a library whose operator new is that of the program");
      MPI_Finalize();
      return 77;
    }
    for (; round < most_rounds && well < 20; ++round) {
      Column to;
      from.fill(round);
      left = round;
      const bool fine = way(round, from, to);
      left = 0;
      expect(!fine || to.holds(round), "a wrong byte", round);
      well = fine ? well + 1 : 0;
    }
    expect(round > 25 && round < most_rounds, "what failed were not all allocations", round);
    std::printf("%d rounds\n", round);
  }
  MPI_Type_free(&type);
  MPI_Finalize();
  if (!is_wrong) std::puts("nothing was lost");
  return is_wrong ? 1 : 0;
}
