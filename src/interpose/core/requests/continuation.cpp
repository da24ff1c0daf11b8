// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/continuation.hpp"

#include "transport/mpi/point_to_point.hpp"
#include "transport/request/operation.hpp"
#include "transport/request/progress.hpp"
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

 protected:
  void fail() override { has_acted_ = true; }

 private:
  /// Moves the message on, and says whether it is over; throws what it ended with, once.
  virtual bool arrived(bool block) = 0;

  bool run(bool block) override {
    if (!has_arrived_) {
      if (!arrived(block)) return false;
      has_arrived_ = true;
    }
    if (!std::exchange(has_acted_, true)) act_(status_, moves_);
    if (!moves_.reached(block)) return false;
    act_ = nullptr;
    return true;
  }

  Act act_;  ///< with the memory that the message and the moves use
  Moves moves_;
  bool has_arrived_ = false;
  bool has_acted_ = false;
};

/// Of the Session that the message is of: what it uses stays until that is over, whoever gives it up.
class Ours final : public Continuation {
 public:
  using Continuation::Continuation;
  /// Takes the message, which is active.
  void follow(Request message) noexcept {
    message_ = take(message);
    stand_for(*message_);
  }

 private:
  bool arrived(bool block) override {
    if (home() && !message_->over()) {
      Operation* only[] = {message_.get()};
      home()->advance(only);
    } else if (!message_->over()) {
      message_->advance(block);
    }
    const std::uint64_t steps = message_->steps() + (message_->over() ? 1 : 0);
    if (std::exchange(steps_, steps) != steps) repeat_step();
    if (!message_->over()) return false;
    if (std::exchange(is_told_, true)) return true;
    status_ = message_->result();
    return true;
  }
  void withdraw() override {
    end([&] { home()->cancel(*message_); }, [&] { message_->cancel(); });
  }
  void fail() override {
    is_told_ = true;
    Continuation::fail();
    end([&] { home()->give_up(*message_); }, [&] { message_->give_up(); });
  }
  bool is_send() const noexcept override { return message_->is_send(); }

  template <class Within, class Alone>
  void end(Within within, Alone alone) {
    home() ? within() : alone();
  }

  std::shared_ptr<Operation> message_;
  std::uint64_t steps_ = 0;
  bool is_told_ = false;  ///< what it ended with
};

class Theirs : public Continuation {
 public:
  Theirs(MPI_Comm comm, Act act, bool has_status)
      : Continuation(comm, std::move(act)), has_status_(has_status) {}
  void take(MPI_Request request) noexcept { request_ = request; }

 protected:
  bool arrived(bool) override {
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

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool has_status_;
};

class TheirsInTurn final : public Theirs {
 public:
  TheirsInTurn(std::function<MPI_Request()> make, bool is_put_off, Turn turn, MPI_Comm comm, Act act)
      : Theirs(comm, std::move(act), true), make_(std::move(make)), turn_(std::move(turn)) {
    if (!is_put_off) make_now();
  }

 private:
  bool arrived(bool block) override {
    if (!turn_.is_next()) return false;
    try {
      make_now();
      if (!Theirs::arrived(block)) return false;
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

Request continued(FunctionRef<Request()> begin, MPI_Comm comm, Act act) {
  const auto made = std::make_shared<Ours>(comm, std::move(act));
  transport::ActiveOperations::Place place = transport::ActiveOperations::place_for(made);
  made->follow(begin());
  return transport::Begun(std::move(place)).request();
}

Request continued(FunctionRef<MPI_Request()> make, MPI_Comm comm, Act act, bool has_status) {
  const auto made = std::make_shared<Theirs>(comm, std::move(act), has_status);
  made->take(make());
  return transport::Internal::request(made);
}

Request continued_in_turn(std::function<MPI_Request()> make, bool is_put_off, Turn turn, MPI_Comm comm,
                          Act act) {
  return transport::Internal::request(
      std::make_shared<TheirsInTurn>(std::move(make), is_put_off, std::move(turn), comm, std::move(act)));
}

}  // namespace typewarp::interpose
