// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

/// The application and a move, each alone and both at once.
namespace typewarp::contention {

/// Microseconds since the system's start, on a clock that all processes share.
double now_us();

/// When a side ran: by the host's clock from before it was enqueued until it was seen to be done, and by
/// events of its stream.
struct Interval {
  double begin_us = 0, end_us = 0;
  double device_us = 0;
};

/// One of the two. It may be another process's.
class Side {
 public:
  Side() = default;
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  virtual ~Side() = default;

  /// Returns when all of it is enqueued.
  virtual void enqueue() = 0;
  /// Whether it is done; the first call that finds so notes the time.
  virtual bool is_done() = 0;
  /// Of what was enqueued last, and is done.
  virtual Interval interval() const = 0;
};

/// The medians of some repetitions in microseconds, by events and by the host's clock.
struct Times {
  double device = 0, host = 0;
};

/// Both at once, in one order.
struct Beside {
  Times application, move;
  Times both;  ///< from the begin of the first to the end of the last
};

struct Measured {
  Times application_alone, move_alone;
  Beside application_first, move_first;  ///< by the order in which they are enqueued
  /// Whether `both.device` is by events; else it is by the host's clock.
  bool by_events = false;
  int samples = 0;
};

/// Microseconds of both at once by events of the device that they share.
struct ByEvents {
  double application, move;
  double both;
};
/// Tells them of what ran last.
using Events = std::function<ByEvents(bool application_first)>;

/// When to stop repeating. A repetition is each alone, and both at once in each order.
struct Effort {
  int least = 15, most = 40;
  double enough_us = 40000;  ///< after `least`
};

/// Sides take turns, so that what changes with time changes all that is compared. One repetition before is
/// not counted. Without `events` the host's clock stands in their place for both at once, and each side's own
/// events for the side.
Measured measure(Side& application, Side& move, const Events& events, const Effort& effort = {});

/// The median time of a side alone, by events.
double alone_us(Side& side, int repetitions);

}  // namespace typewarp::contention
