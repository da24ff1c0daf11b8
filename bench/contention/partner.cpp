// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "partner.hpp"

#include <typewarp/error.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <thread>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace typewarp::contention {
namespace {

enum Question { none, assigns, runs, ends };

}  // namespace

/// In memory that both processes share. The parent writes all above `answered`, and asks only after the
/// question before is answered.
struct Partner::Mailbox {
  std::atomic<int> asked{0};  ///< the number of questions
  Question question = none;
  Work work = Work::add;
  std::int64_t units = 0;

  std::atomic<int> answered{0};  ///< assigned, or enqueued
  std::atomic<int> done{0};      ///< what was enqueued
  std::atomic<bool> failed{false};
  Interval interval;
  char error[256] = "";

  void serve(const std::function<std::unique_ptr<Worker>()>& make);
};

void Partner::Mailbox::serve(const std::function<std::unique_ptr<Worker>()>& make) {
  std::unique_ptr<Worker> worker;
  for (int served = 0;; ++served) {
    while (asked.load() == served) std::this_thread::yield();
    if (question == ends) return;
    if (!worker) worker = make();
    if (question == assigns) {
      worker->assign(work, units);
      answered = served + 1;
      continue;
    }
    worker->side().enqueue();
    answered = served + 1;
    while (!worker->side().is_done()) {}
    interval = worker->side().interval();
    done = served + 1;
  }
}

Partner::Partner(const std::function<std::unique_ptr<Worker>()>& make) {
  void* const shared =
      mmap(nullptr, sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw Error(std::string("mmap: ") + std::strerror(errno));
  mailbox_ = new (shared) Mailbox;
  process_ = fork();
  if (process_ < 0) throw Error(std::string("fork: ") + std::strerror(errno));
  if (process_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever ends the parent
  try {
    mailbox_->serve(make);
  } catch (const std::exception& error) {
    std::snprintf(mailbox_->error, sizeof mailbox_->error, "%s", error.what());
    mailbox_->failed = true;
  }
  _exit(0);  // what the parent has begun is for it to end
}

Partner::~Partner() {
  mailbox_->question = ends;
  ++mailbox_->asked;
  waitpid(process_, nullptr, 0);
  munmap(mailbox_, sizeof(Mailbox));
}

void Partner::check() const {
  if (mailbox_->failed) throw Error(std::string("the application's process: ") + mailbox_->error);
  // Only looks: the destructor waits.
  siginfo_t state{};
  if (waitid(P_PID, static_cast<id_t>(process_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      state.si_pid != 0) {
    throw Error("the application's process has ended");
  }
}

void Partner::look() {
  constexpr unsigned often = 1024;  // a system call each time would be seen in what is timed
  if (++looked_ % often == 0 || mailbox_->failed) check();
  std::this_thread::yield();
}

void Partner::ask(int what) {
  mailbox_->question = static_cast<Question>(what);
  const int number = ++mailbox_->asked;
  while (mailbox_->answered.load() != number) look();
}

void Partner::assign(Work work, std::int64_t units) {
  mailbox_->work = work;
  mailbox_->units = units;
  ask(assigns);
}

void Partner::enqueue() { ask(runs); }

bool Partner::is_done() {
  if (mailbox_->done.load() == mailbox_->asked.load()) return true;
  look();
  return false;
}

Interval Partner::interval() const { return mailbox_->interval; }

}  // namespace typewarp::contention
