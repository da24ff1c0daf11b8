// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo.h>

#include "capi/mpi/halo_arguments.hpp"
#include "halo/agreement.hpp"

#include <typewarp/halo_domain.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

using namespace typewarp;
using namespace typewarp::capi;

struct tw_halo_grid {
  static constexpr const char* name = "grid";
  halo::ProcessGrid value;
};

struct tw_halo_domain {
  static constexpr const char* name = "domain";
  halo::Domain value;
  tw_halo_grid grid;
};

struct tw_halo_exchange {
  static constexpr const char* name = "exchange";
  halo::Exchange value;
  bool of_arrays = false;  ///< made by a call with one element type for all
};

namespace {

/// Collective: the checked number of fields of a call that creates something on `comm`.
template <class Check>
std::size_t agreed_dimensions(const char* call, MPI_Comm comm, int dimensions, Check check) {
  halo::check_communicator(call, "comm", comm);
  std::size_t checked = 0;
  halo::together(comm, [&] {
    check();
    checked = checked_dimensions(call, "dimensions", dimensions);
  });
  return checked;
}

tw_halo_range* store(const halo::Box& box, tw_halo_range* place) {
  return std::ranges::transform(
             box, place, [](const halo::Range& range) { return tw_halo_range{range.begin, range.end}; })
      .out;
}

/// Copies the values to `place`, unless that is null.
template <class Entry, class Place>
void store(const std::vector<Entry>& list, Place* place) {
  if (place != nullptr) std::ranges::copy(list, place);
}

/// Collective: the exchange of what `describe()` gives, fields and options. What it throws in one process is
/// a Disagreement in the others, which would wait for that process otherwise.
template <class Describe>
tw_halo_exchange* exchange_of(const halo::ProcessGrid& grid, Describe describe) {
  std::vector<halo::Field> fields;
  halo::Options options;
  halo::together(grid.comm(), [&] { std::tie(fields, options) = describe(); });
  return new tw_halo_exchange{halo::Exchange(grid, std::move(fields), options)};
}

}  // namespace

tw_result tw_halo_grid_create(MPI_Comm comm, int dimensions, const int* sizes, const int* periodic,
                              tw_halo_grid** grid) {
  return guarded(__func__, [&](const char* call) {
    const std::size_t count = agreed_dimensions(call, comm, dimensions, [&] { require(grid, call, "grid"); });
    std::vector<int> processes = list<int>(sizes, count);
    processes.resize(count);
    *grid = new tw_halo_grid{halo::ProcessGrid(comm, std::move(processes), flags(periodic, count))};
  });
}

tw_result tw_halo_grid_of(MPI_Comm cartesian, tw_halo_grid** grid) {
  return guarded(__func__, [&](const char* call) {
    halo::check_communicator(call, "cartesian", cartesian);
    halo::together(cartesian, [&] { require(grid, call, "grid"); });
    *grid = new tw_halo_grid{halo::ProcessGrid(cartesian)};
  });
}

void tw_halo_grid_free(tw_halo_grid* grid) { delete grid; }

tw_result tw_halo_grid_get(const tw_halo_grid* grid, int* dimensions, int* sizes, int* periodic,
                           int* coordinates) {
  return on(__func__, grid, [&](const halo::ProcessGrid& made) {
    store(made.dimensions(), dimensions);
    store(made.sizes(), sizes);
    store(made.periodic(), periodic);
    store(made.coordinates(), coordinates);
  });
}

tw_result tw_halo_grid_neighbour(const tw_halo_grid* grid, const int* direction, int* rank) {
  return guarded(__func__, [&](const char* call) {
    const halo::ProcessGrid& made = value_of(call, grid);
    require(direction, call, "direction");
    require(rank, call, "rank");
    *rank = made.neighbour(list<int>(direction, made.dimensions()));
  });
}

tw_result tw_halo_domain_create(MPI_Comm comm, int dimensions, const int64_t* cells,
                                const tw_halo_domain_options* options, tw_halo_domain** domain) {
  return guarded(__func__, [&](const char* call) {
    const std::size_t count = agreed_dimensions(call, comm, dimensions, [&] {
      require(domain, call, "domain");
      require(cells, call, "cells");
    });
    halo::DomainOptions chosen;
    if (options != nullptr) {
      chosen.processes = list<int>(options->processes, count);
      chosen.periodic = flags(options->periodic, count);
      if (options->width != 0) chosen.width = options->width;
    }
    const halo::Domain made(comm, list<std::int64_t>(cells, count), chosen);
    *domain = new tw_halo_domain{made, {made.grid()}};
  });
}

void tw_halo_domain_free(tw_halo_domain* domain) { delete domain; }

const tw_halo_grid* tw_halo_domain_grid(const tw_halo_domain* domain) {
  return domain == nullptr ? nullptr : &domain->grid;
}

tw_result tw_halo_domain_get(const tw_halo_domain* domain, int64_t* global_cells, int64_t* origin) {
  return on(__func__, domain, [&](const halo::Domain& made) {
    store(made.global_cells(), global_cells);
    store(made.origin(), origin);
  });
}

tw_result tw_halo_domain_descriptors(const tw_halo_domain* domain, const int* staggered,
                                     tw_halo_descriptor* descriptors) {
  return guarded(__func__, [&](const char* call) {
    const halo::Domain& made = value_of(call, domain);
    require(descriptors, call, "descriptors");
    std::ranges::transform(made.descriptors(dimensions_of(staggered, made.dimensions())), descriptors,
                           [](const halo::Descriptor& one) {
                             return tw_halo_descriptor{one.minus, one.plus, one.begin, one.end,
                                                       one.total_length};
                           });
  });
}

int64_t tw_halo_domain_elements(const tw_halo_domain* domain, const int* staggered) {
  int64_t elements = 0;
  static_cast<void>(on(__func__, domain, [&](const halo::Domain& made) {
    elements = made.elements(dimensions_of(staggered, made.dimensions()));
  }));
  return elements;
}

tw_result tw_halo_domain_interior(const tw_halo_domain* domain, tw_halo_range* box) {
  return guarded(__func__, [&](const char* call) {
    const halo::Domain& made = value_of(call, domain);
    require(box, call, "box");
    store(made.interior(), box);
  });
}

tw_result tw_halo_domain_boundary(const tw_halo_domain* domain, int* count, tw_halo_range* boxes) {
  return guarded(__func__, [&](const char* call) {
    const halo::Domain& made = value_of(call, domain);
    require(count, call, "count");
    require(boxes, call, "boxes");
    const std::vector<halo::Box> boundary = made.boundary();
    *count = static_cast<int>(boundary.size());
    for (const halo::Box& box : boundary) boxes = store(box, boxes);
  });
}

tw_result tw_halo_domain_exchange_init(const tw_halo_domain* domain, MPI_Datatype element, int count,
                                       void* const* data, const tw_halo_options* options,
                                       tw_halo_exchange** exchange) {
  return guarded(__func__, [&](const char* call) {
    const halo::Domain& made = value_of(call, domain);
    try {
      tw_halo_exchange* const created = exchange_of(made.grid(), [&] {
        require(data, call, "data");
        require(exchange, call, "exchange");
        return std::pair(fields_of(call, count, data, element, made.descriptors()),
                         options_of(call, options, made.dimensions()));
      });
      created->of_arrays = true;
      *exchange = created;
    } catch (const InvalidArgument& error) {
      throw renamed(error, call, array_name(error.argument()));
    }
  });
}

tw_result tw_halo_exchange_create(const tw_halo_grid* grid, int count, const tw_halo_field* fields,
                                  const tw_halo_options* options, tw_halo_exchange** exchange) {
  return guarded(__func__, [&](const char* call) {
    const halo::ProcessGrid& made = value_of(call, grid);
    try {
      *exchange = exchange_of(made, [&] {
        require(fields, call, "fields");
        require(exchange, call, "exchange");
        return std::pair(fields_of(call, count, fields), options_of(call, options, made.dimensions()));
      });
    } catch (const InvalidArgument& error) {
      throw renamed(error, call, field_name(error.argument()));
    }
  });
}

void tw_halo_exchange_free(tw_halo_exchange* exchange) { delete exchange; }

tw_result tw_halo_exchange_bind(tw_halo_exchange* exchange, int count, void* const* data) {
  constexpr const char* call = "tw_halo_exchange_bind";
  return on(call, exchange, [&](halo::Exchange& made) {
    require(data, call, "data");
    const std::size_t fields = made.fields().size();
    if (count != static_cast<int>(fields)) {
      throw InvalidArgument(call, "count", count, "must be " + std::to_string(fields) + ", one a field");
    }
    made.bind({data, fields});
  });
}

tw_result tw_halo_exchange_set_width(tw_halo_exchange* exchange, int64_t width) {
  return on(__func__, exchange, &halo::Exchange::set_width, width);
}

tw_result tw_halo_exchange_tune(tw_halo_exchange* exchange, tw_stream stream) {
  return on(__func__, exchange, &halo::Exchange::tune, Stream(stream));
}

tw_result tw_halo_exchange_run(tw_halo_exchange* exchange, tw_stream stream) {
  return on(__func__, exchange, &halo::Exchange::exchange, Stream(stream));
}

tw_result tw_halo_exchange_overlap(tw_halo_exchange* exchange, tw_stream stream, void (*work)(void*),
                                   void* argument) {
  constexpr const char* call = "tw_halo_exchange_overlap";
  return on(call, exchange, [&](halo::Exchange& made) {
    require(reinterpret_cast<const void*>(work), call, "work");
    made.overlap([&] { work(argument); }, Stream(stream));
  });
}

tw_result tw_halo_exchange_pack(tw_halo_exchange* exchange, tw_stream stream) {
  return on(__func__, exchange, &halo::Exchange::pack, Stream(stream));
}

tw_result tw_halo_exchange_start(tw_halo_exchange* exchange, tw_stream stream) {
  return on(__func__, exchange, &halo::Exchange::start_exchange, Stream(stream));
}

tw_result tw_halo_exchange_wait(tw_halo_exchange* exchange) {
  return on(__func__, exchange, &halo::Exchange::wait);
}

tw_result tw_halo_exchange_unpack(tw_halo_exchange* exchange, tw_stream stream) {
  return on(__func__, exchange, &halo::Exchange::unpack, Stream(stream));
}

tw_result tw_halo_exchange_ready(tw_halo_exchange* exchange, int* ready) {
  return answer(__func__, exchange, &halo::Exchange::ready, ready, "ready");
}

tw_result tw_halo_exchange_accumulate(tw_halo_exchange* exchange, int operation, tw_stream stream) {
  constexpr const char* call = "tw_halo_exchange_accumulate";
  return on(call, exchange, [&](halo::Exchange& made) {
    try {
      made.accumulate(operation_of(call, operation), Stream(stream));
    } catch (const InvalidArgument& error) {
      if (!exchange->of_arrays) throw;
      throw renamed(error, call, array_name(error.argument()));
    }
  });
}

tw_result tw_halo_exchange_get(const tw_halo_exchange* exchange, int64_t* bytes_sent, int64_t* messages_sent,
                               int* packing, int* messages, int* buffers) {
  return on(__func__, exchange, [&](const halo::Exchange& made) {
    store(made.bytes_sent(), bytes_sent);
    store(made.messages_sent(), messages_sent);
    store(made.packing(), packing);
    store(made.messages(), messages);
    store(made.buffers(), buffers);
  });
}
