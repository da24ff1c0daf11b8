// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/continuation.hpp"

#include "transport/mpi/point_to_point.hpp"
#include "transport/request/operation.hpp"
#include "transport/request/waiting.hpp"

#include <typewarp/mpi.hpp>

#include <utility>

namespace typewarp::interpose {
namespace {

using transport::Waiting;

class Continuation : public transport::Operation {
 public:
  Continuation(MPI_Comm comm, Act act)
      : Operation({MPI_ANY_SOURCE, MPI_ANY_TAG, comm}, nullptr), act_(std::move(act)) {}

 private:
  /// Moves the message on, and says whether it is over; throws what it ended with, once.
  virtual bool arrived() = 0;

  bool run(bool block) override {
    if (!has_arrived_) {
      if (!arrived()) return false;
      has_arrived_ = true;
    }
    if (!std::exchange(has_acted_, true)) act_(status_, moves_);
    if (!moves_.reached(block)) return false;
    act_ = nullptr;
    return true;
  }
  void fail() override { has_acted_ = true; }

  Act act_;  ///< with the memory that the message and the moves use
  Moves moves_;
  bool has_arrived_ = false;
  bool has_acted_ = false;
};

class Ours final : public Continuation {
 public:
  Ours(Request message, MPI_Comm comm, Act act)
      : Continuation(comm, std::move(act)), message_(std::move(message)) {}

 private:
  bool arrived() override {
    if (!message_.active()) return true;
    if (!message_.ready()) return false;
    status_ = Waiting::finish(message_);
    return true;
  }
  void withdraw() override { message_.cancel(); }

  Request message_;
};

class Theirs : public Continuation {
 public:
  Theirs(MPI_Request request, MPI_Comm comm, Act act, bool has_status)
      : Continuation(comm, std::move(act)), request_(request), has_status_(has_status) {}

 protected:
  bool arrived() override {
    int complete = 0;
    MPI_Status status{};
    const int code = PMPI_Test(&request_, &complete, &status);
    if (code != MPI_SUCCESS) request_ = MPI_REQUEST_NULL;
    mpi::check(code, "MPI_Test");
    if (complete != 0 && has_status_) {
      status_.source = status.MPI_SOURCE;
      status_.tag = status.MPI_TAG;
      status_.bytes = transport::received_bytes(status);
    }
    return complete != 0;
  }
  void take(MPI_Request request) noexcept { request_ = request; }

 private:
  MPI_Request request_;
  bool has_status_;
};

class TheirsInTurn final : public Theirs {
 public:
  TheirsInTurn(std::function<MPI_Request()> make, bool may_be_put_off, Turn turn, MPI_Comm comm, Act act)
      : Theirs(MPI_REQUEST_NULL, comm, std::move(act), true), make_(std::move(make)), turn_(std::move(turn)) {
    if (!may_be_put_off || turn_.is_next()) make_now();
  }

 private:
  bool arrived() override {
    if (!turn_.is_next()) return false;
    try {
      make_now();
      if (!Theirs::arrived()) return false;
    } catch (...) {
      turn_.end();
      throw;
    }
    turn_.end();
    return true;
  }
  void make_now() {
    if (make_) take(std::exchange(make_, nullptr)());
  }

  std::function<MPI_Request()> make_;  ///< empty once it has been called
  Turn turn_;
};

class Completed final : public transport::Operation {
 public:
  Completed(MPI_Comm comm, std::int64_t bytes) : Operation({MPI_ANY_SOURCE, MPI_ANY_TAG, comm}, nullptr) {
    status_.bytes = bytes;
  }

 private:
  bool run(bool) override { return true; }
  void fail() override {}
};

}  // namespace

Request completed(MPI_Comm comm, std::int64_t bytes) {
  return transport::Internal::request(std::make_shared<Completed>(comm, bytes));
}

Request continued(Request message, MPI_Comm comm, Act act) {
  return transport::Internal::request(std::make_shared<Ours>(std::move(message), comm, std::move(act)));
}

Request continued(MPI_Request request, MPI_Comm comm, Act act, bool has_status) {
  return transport::Internal::request(std::make_shared<Theirs>(request, comm, std::move(act), has_status));
}

Request continued_in_turn(std::function<MPI_Request()> make, bool may_be_put_off, Turn turn, MPI_Comm comm,
                          Act act) {
  return transport::Internal::request(
      std::make_shared<TheirsInTurn>(std::move(make), may_be_put_off, std::move(turn), comm, std::move(act)));
}

}  // namespace typewarp::interpose
