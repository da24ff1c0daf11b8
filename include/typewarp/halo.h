// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Halo exchange for C programs: halo.hpp and halo_domain.hpp have the details. In three calls:
//
//     tw_halo_domain* domain;
//     tw_halo_domain_create(MPI_COMM_WORLD, 3, (int64_t[]){nx, ny, nz}, NULL, &domain);
//     ... arrays u and v of tw_halo_domain_elements(domain, NULL) doubles each, of memory of any kind
//     tw_halo_exchange* halos;
//     tw_halo_domain_exchange_init(domain, MPI_DOUBLE, 2, (void*[]){u, v}, NULL, &halos);
//     ... and in every step
//     tw_halo_exchange_run(halos, stream);
//
// If one process passes a wrong argument to a collective call, all fail, unless it is the communicator or
// object that they share. Free everything before MPI_Finalize. One thread at a time may use an object.

#include <typewarp/reduce.h>
#include <typewarp/result.h>
#include <typewarp/stream.h>

#include <mpi.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Processes, in a Cartesian grid (halo::ProcessGrid).
typedef struct tw_halo_grid tw_halo_grid;
/// Cells, the same number for each process (halo::Domain).
typedef struct tw_halo_domain tw_halo_domain;
/// An exchange that is prepared once (halo::Exchange).
typedef struct tw_halo_exchange tw_halo_exchange;

/// The most dimensions of an array, and of a grid of processes.
enum { TW_HALO_MAX_DIMENSIONS = 8 };

/// Collective over `comm`. `sizes`: processes along each dimension; MPI_Dims_create chooses those that are 0;
/// null: all. `periodic`: whether each dimension is periodic; null: none.
tw_result tw_halo_grid_create(MPI_Comm comm, int dimensions, const int* sizes, const int* periodic,
                              tw_halo_grid** grid);
/// Collective: the grid of a communicator made by MPI_Cart_create.
tw_result tw_halo_grid_of(MPI_Comm cartesian, tw_halo_grid** grid);
/// Exchanges that were made of it keep what they need.
void tw_halo_grid_free(tw_halo_grid* grid);
/// The grid's values, one per dimension. Results whose pointers are null are left out.
tw_result tw_halo_grid_get(const tw_halo_grid* grid, int* dimensions, int* sizes, int* periodic,
                           int* coordinates);
/// The rank in `direction`, a step of -1, 0 or 1 per dimension; MPI_PROC_NULL if there is none.
tw_result tw_halo_grid_neighbour(const tw_halo_grid* grid, const int* direction, int* rank);

/// One dimension of an array, in elements (halo::Descriptor): [begin, end) are owned.
typedef struct tw_halo_descriptor {
  int64_t minus, plus, begin, end, total_length;
} tw_halo_descriptor;

/// Indices [begin, end).
typedef struct tw_halo_range {
  int64_t begin, end;
} tw_halo_range;

/// An array with a halo (halo::Field). It is read when an exchange is made, and not kept.
typedef struct tw_halo_field {
  void* data;            ///< the element whose indices are 0
  MPI_Datatype element;  ///< committed or not, and may be freed afterwards
  int dimensions;
  const tw_halo_descriptor* descriptors;  ///< one per dimension
  const int64_t* strides;                 ///< bytes from one index to the next; null: C order
  const int* along;                       ///< dimensions of the grid, or -1; null: each dimension its own
} tw_halo_field;

// The choices of halo::Options.
enum { TW_HALO_AUTOMATIC = 0 };
enum { TW_HALO_MANUAL = 1, TW_HALO_DATATYPE };
enum { TW_HALO_TOGETHER = 1, TW_HALO_EACH };
enum { TW_HALO_DIRECT, TW_HALO_BY_DIMENSION };
enum { TW_HALO_PINNED = 1, TW_HALO_DEVICE };

/// Zeros are the defaults (halo::Options).
typedef struct tw_halo_options {
  int packing;       ///< TW_HALO_AUTOMATIC, _MANUAL, _DATATYPE
  int messages;      ///< TW_HALO_AUTOMATIC, _TOGETHER, _EACH: has no effect
  int diagonals;     ///< TW_HALO_DIRECT, _BY_DIMENSION: has no effect
  int buffers;       ///< TW_HALO_AUTOMATIC, _PINNED, _DEVICE
  int side_count;    ///< of `sides`; 0: all sides
  const int* sides;  ///< a step of -1, 0 or 1 for each dimension of the grid, side after side
  int poison;
} tw_halo_options;

/// Zeros are the defaults (halo::DomainOptions).
typedef struct tw_halo_domain_options {
  const int* processes;  ///< along each dimension, 0: the MPI chooses; null: all 0
  const int* periodic;   ///< whether each dimension is periodic; null: none
  int64_t width;         ///< of halos, in cells, on every side; 0: one
} tw_halo_domain_options;

/// Collective over `comm`. `cells`: the number that each process owns along each dimension, without halos.
/// `options` may be null.
tw_result tw_halo_domain_create(MPI_Comm comm, int dimensions, const int64_t* cells,
                                const tw_halo_domain_options* options, tw_halo_domain** domain);
/// Exchanges that were made of it keep what they need.
void tw_halo_domain_free(tw_halo_domain* domain);
/// The domain's grid, valid as long as the domain.
const tw_halo_grid* tw_halo_domain_grid(const tw_halo_domain* domain);
/// The cells of the whole domain, and where this process's part begins in it, one number per dimension.
/// Results whose pointers are null are left out.
tw_result tw_halo_domain_get(const tw_halo_domain* domain, int64_t* global_cells, int64_t* origin);
/// Descriptors, one per dimension, of an array with its halo. It has one element more than cells along each
/// dimension for which `staggered` is not 0; null: none.
tw_result tw_halo_domain_descriptors(const tw_halo_domain* domain, const int* staggered,
                                     tw_halo_descriptor* descriptors);
/// Elements of such an array; 0 if `domain` is null.
int64_t tw_halo_domain_elements(const tw_halo_domain* domain, const int* staggered);
/// The owned cells that need no halo: a range per dimension, in indices of an array with its halo; empty if
/// there are none.
tw_result tw_halo_domain_interior(const tw_halo_domain* domain, tw_halo_range* box);
/// The other owned cells: the number of boxes, and their ranges, box after box. There must be room for two
/// boxes per dimension.
tw_result tw_halo_domain_boundary(const tw_halo_domain* domain, int* count, tw_halo_range* boxes);
/// Collective: the exchange of `count` arrays of cells, in C order. `options` may be null.
tw_result tw_halo_domain_exchange_init(const tw_halo_domain* domain, MPI_Datatype element, int count,
                                       void* const* data, const tw_halo_options* options,
                                       tw_halo_exchange** exchange);

/// Collective over the grid: the exchange of all these fields. `options` may be null.
tw_result tw_halo_exchange_create(const tw_halo_grid* grid, int count, const tw_halo_field* fields,
                                  const tw_halo_options* options, tw_halo_exchange** exchange);
/// Waits for the work that it has enqueued, and completes messages in flight.
void tw_halo_exchange_free(tw_halo_exchange* exchange);
/// Uses other memory of the same kinds from now on: one address for each field.
tw_result tw_halo_exchange_bind(tw_halo_exchange* exchange, int count, void* const* data);
/// From now on fills only the `width` elements of a halo next to the owned part.
tw_result tw_halo_exchange_set_width(tw_halo_exchange* exchange, int64_t width);

/// Collective: makes some exchanges with each packing that the options allow, and uses the fastest from now
/// on.
tw_result tw_halo_exchange_tune(tw_halo_exchange* exchange, tw_stream stream);

/// One exchange: work that is enqueued on `stream` afterwards sees the halos.
tw_result tw_halo_exchange_run(tw_halo_exchange* exchange, tw_stream stream);
/// The same while `work(argument)` computes, or enqueues computation on `stream`; it must not throw.
tw_result tw_halo_exchange_overlap(tw_halo_exchange* exchange, tw_stream stream, void (*work)(void*),
                                   void* argument);
/// The steps of an exchange, in this order.
tw_result tw_halo_exchange_pack(tw_halo_exchange* exchange, tw_stream stream);
tw_result tw_halo_exchange_start(tw_halo_exchange* exchange, tw_stream stream);
tw_result tw_halo_exchange_wait(tw_halo_exchange* exchange);
tw_result tw_halo_exchange_unpack(tw_halo_exchange* exchange, tw_stream stream);
/// Makes progress without waiting; `ready`: whether tw_halo_exchange_wait() would return immediately.
tw_result tw_halo_exchange_ready(tw_halo_exchange* exchange, int* ready);

/// Combines the values in halos with the elements of their owners, by an operation of operation.h.
tw_result tw_halo_exchange_accumulate(tw_halo_exchange* exchange, int operation, tw_stream stream);

/// Packed bytes that one exchange sends to other processes, the number of messages, and the choices in use,
/// which are never TW_HALO_AUTOMATIC. Results whose pointers are null are left out.
tw_result tw_halo_exchange_get(const tw_halo_exchange* exchange, int64_t* bytes_sent, int64_t* messages_sent,
                               int* packing, int* messages, int* buffers);

#ifdef __cplusplus
}
#endif
