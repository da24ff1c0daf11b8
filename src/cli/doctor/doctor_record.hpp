// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

/// What the ranks of a job recorded about their calls (interpose/record/record.hpp).
namespace typewarp::cli {

struct Frame {
  std::string module;          ///< file of the program or library
  std::uint64_t offset = 0;    ///< of the return address in it
  std::string function, file;  ///< empty where they are not known
  int line = 0;
};

/// What the calls of a site send or receive, taken from the first call. Nothing if `pieces` is 0.
struct SiteSide {
  std::string type;             ///< the datatype in one line
  std::vector<std::byte> wire;  ///< its plan; may be empty
  std::int64_t count = 0, pieces = 0, bytes = 0;

  bool has_gaps() const noexcept { return pieces > 1; }
};

/// What the calls of a site took together.
struct CallTotals {
  std::int64_t calls = 0, bytes = 0, datatypes_made = 0, repeats = 0;
  std::set<int> ranks;  ///< ranks that made such calls
  double inside = 0;    ///< seconds in the calls,
  double waiting = 0;   ///< and in others that wait for their messages
  double fast = 0;  ///< seconds that one in fifty calls takes at most, waits included, in the fastest rank

  void add(const CallTotals& other);
  double seconds() const noexcept { return inside + waiting; }
  std::int64_t bytes_of_a_call() const noexcept { return calls == 0 ? 0 : bytes / calls; }
};

/// Calls of one function, place, communicator, datatypes, kind of memory and octave of size, of all ranks.
struct CallSite {
  std::string call;
  std::vector<Frame> stack;
  std::string comm;
  int comm_ranks = 0;
  bool device = false;
  SiteSide sent, received, view;
  CallTotals totals;

  bool has_gaps() const noexcept { return sent.has_gaps() || received.has_gaps(); }
};

struct JobRecord {
  int ranks = 0;                ///< of the job; 0 if none recorded anything
  std::vector<int> recorded;    ///< ranks that recorded something
  std::vector<int> unfinished;  ///< those of them that did not reach MPI_Finalize
  double seconds = 0;           ///< between MPI_Init and MPI_Finalize, of all ranks
  std::int64_t others = 0;      ///< calls that had no room among the sites,
  double others_seconds = 0;    ///< and their time
  std::vector<CallSite> sites;
};

/// Reads the files of a folder. `seconds`: the run time assumed for ranks that did not finish. Skips files of
/// another version, and files whose header was never completed. Throws std::runtime_error.
JobRecord read_records(const std::string& folder, double seconds);

/// Fills in functions, files and lines of code compiled with -g, if addr2line is on the PATH.
void find_places(std::vector<CallSite>& sites);

/// Merges the sites of all ranks that agree in MPI function, source line (or address, if the line is
/// unknown), communicator, datatypes, kind of memory and power of two of the size.
void unite(std::vector<CallSite>& sites);

/// "exchange (halo.c:27)", or as much of it as is known: at least "app+0x1a2b".
std::string place(const Frame& frame);

}  // namespace typewarp::cli
