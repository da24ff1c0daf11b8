// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pair.hpp"
#include "work.hpp"

#include <memory>

/// The application as a process of its own, for instance another rank's.
namespace typewarp::contention {

/// What a partner does. Its process makes one.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  virtual void assign(Work work, std::int64_t units) = 0;
  virtual Side& side() = 0;
};

/// A process that runs a Worker for this one. As a Side it is the worker's.
class Partner : public Side {
 public:
  /// Forks: before this process has used a GPU, since no child can go on with what its parent has of one.
  /// `make` is called in the child.
  explicit Partner(const std::function<std::unique_ptr<Worker>()>& make);
  /// Ends the process, and waits for it.
  ~Partner() override;

  void assign(Work work, std::int64_t units);

  // Throw Error with what the worker has thrown, or if its process has ended.
  void enqueue() override;
  bool is_done() override;
  Interval interval() const override;

 private:
  struct Mailbox;

  void ask(int what);
  void look();
  void check() const;

  Mailbox* mailbox_;
  int process_ = -1;
  unsigned looked_ = 0;  ///< how often this process looked for an answer
};

}  // namespace typewarp::contention
