! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
#include "binding.fh"
! The heat equation on a square that ranks share in both directions, by explicit steps: halos by nonblocking messages,
! columns of them strided, the largest change by MPI_Allreduce, and the initial heat by MPI_Bcast, all in memory of the
! kind that its argument names. A program that knows nothing of us: prints the same without us on memory of the host.
program heat
  use data, only: memory_device, memory_free, memory_get, memory_kind, memory_read, memory_write
  use, intrinsic :: iso_c_binding
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: side = 40, most_steps = 400  ! points of a rank in each direction
  real(c_double), parameter :: rate = 0.2d0
  character(len=20) :: kind
  real(c_double), target :: here(0:side + 1, 0:side + 1), next(side, side), change, sums(2)
  real(c_double), pointer, contiguous :: field(:, :), scalars(:)
  COMM :: grid
  DATATYPE :: along  ! what lies in one row: a point of each column
  integer :: ranks, rank, ierr, step, steps, sides(2), place(2), above, below, left, right
  integer(c_size_t) :: bytes
  call get_command_argument(1, kind)
  call memory_kind(trim(kind)//c_null_char)
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  sides = 0
  call MPI_Dims_create(ranks, 2, sides, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, sides, [.false., .false.], .false., grid, ierr)
  call MPI_Comm_rank(grid, rank, ierr)
  call MPI_Cart_coords(grid, rank, 2, place, ierr)
  call MPI_Cart_shift(grid, 0, 1, above, below, ierr)
  call MPI_Cart_shift(grid, 1, 1, left, right, ierr)
  call memory_device(rank)
  bytes = storage_size(here) / 8 * size(here)
  call c_f_pointer(memory_get(bytes), field, [side + 2, side + 2])
  call c_f_pointer(memory_get(int(16, c_size_t)), scalars, [2])
  call MPI_Type_vector(side, 1, side + 2, MPI_DOUBLE_PRECISION, along, ierr)
  call MPI_Type_commit(along, ierr)
  call start()
  steps = most_steps
  do step = 1, most_steps
    call exchange()
    call advance()
    if (largest(change) < 1d-4) then
      steps = step
      exit
    end if
  end do
  call total()
  if (rank == 0) print '(a, i0, a, i0, a, i0, a, z16.16, 1x, z16.16)', 'heat on ', sides(1), ' x ', sides(2), ' ranks: ', steps, &
    ' steps, ', transfer(sums, [0_c_int64_t])
  call MPI_Type_free(along, ierr)
  call MPI_Comm_free(grid, ierr)
  call memory_free(c_loc(field))
  call memory_free(c_loc(scalars))
  call MPI_Finalize(ierr)

contains

  ! Of the whole square the first rank tells how hot it is at first; its borders stay cold.
  subroutine start()
    integer :: i, j
    sums = [100d0, 10d0]
    if (rank > 0) sums = 0
    call memory_write(c_loc(scalars), c_loc(sums), int(16, c_size_t))
    call MPI_Bcast(scalars, 2, MPI_DOUBLE_PRECISION, 0, grid, ierr)
    call memory_read(c_loc(sums), c_loc(scalars), int(16, c_size_t))
    here = 0
    do j = 1, side
      do i = 1, side
        here(i, j) = sums(1) + sums(2) * mod(3 * (i + side * place(1)) + 5 * (j + side * place(2)), 7)
      end do
    end do
  end subroutine

  subroutine exchange()
    REQUEST :: requests(8)
    integer :: n
    n = side
    call memory_write(c_loc(field), c_loc(here), bytes)
    call MPI_Irecv(field(2, 1), n, MPI_DOUBLE_PRECISION, left, 1, grid, requests(1), ierr)
    call MPI_Irecv(field(2, n + 2), n, MPI_DOUBLE_PRECISION, right, 2, grid, requests(2), ierr)
    call MPI_Irecv(field(1, 2), 1, along, above, 3, grid, requests(3), ierr)
    call MPI_Irecv(field(n + 2, 2), 1, along, below, 4, grid, requests(4), ierr)
    call MPI_Isend(field(2, n + 1), n, MPI_DOUBLE_PRECISION, right, 1, grid, requests(5), ierr)
    call MPI_Isend(field(2, 2), n, MPI_DOUBLE_PRECISION, left, 2, grid, requests(6), ierr)
    call MPI_Isend(field(n + 1, 2), 1, along, below, 3, grid, requests(7), ierr)
    call MPI_Isend(field(2, 2), 1, along, above, 4, grid, requests(8), ierr)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, ierr)
    call memory_read(c_loc(here), c_loc(field), bytes)
  end subroutine

  subroutine advance()
    integer :: i, j
    change = 0
    do j = 1, side
      do i = 1, side
        next(i, j) = here(i, j) + rate * (here(i - 1, j) + here(i + 1, j) + here(i, j - 1) + here(i, j + 1) - 4 * here(i, j))
        change = max(change, abs(next(i, j) - here(i, j)))
      end do
    end do
    here(1:side, 1:side) = next
  end subroutine

  ! Of all ranks' numbers.
  function largest(own)
    real(c_double), intent(in) :: own
    real(c_double) :: largest
    sums = own
    call memory_write(c_loc(scalars), c_loc(sums), int(16, c_size_t))
    call MPI_Allreduce(MPI_IN_PLACE, scalars, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid, ierr)
    call memory_read(c_loc(sums), c_loc(scalars), int(16, c_size_t))
    largest = sums(1)
  end function

  ! The hottest point and the coldest, which no order of ranks changes.
  subroutine total()
    real(c_double) :: hottest
    hottest = largest(maxval(here(1:side, 1:side)))
    sums(2) = largest(-minval(here(1:side, 1:side)))
    sums(1) = hottest
  end subroutine
end program
