// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <stdint.h>

/// Random numbers from a seed: of all ranks alike, or of one of them.
struct draw {
  uint64_t state;
};

static inline uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
static inline uint64_t drawn(struct draw* d) { return mixed(d->state++, 1); }
static inline int below(struct draw* d, int n) { return (int)(drawn(d) % (uint64_t)n); }
static inline int one_in(struct draw* d, int n) { return below(d, n) == 0; }
