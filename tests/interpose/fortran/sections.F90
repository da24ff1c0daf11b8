! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
#include "binding.fh"
! Sections of arrays, of which an MPI is told by descriptors.
module sections
  use data
  USE_MPI
  implicit none
  private
  public :: try_sections
  INCLUDE_MPI

contains

  subroutine try_sections(ranks)
    integer, intent(in) :: ranks
    integer(c_int), pointer, contiguous :: sent(:, :), got(:, :)
    integer :: left, right, ierr
    REQUEST :: requests(2)
    left = mod(me + ranks - 1, ranks)
    right = mod(me + 1, ranks)
    ! Without descriptors the compiler copies what it passes, which it cannot do with memory of a device.
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    call get(sent, columns, me + 1)
    call get(got, columns, 0)
    call MPI_Irecv(got(2, :), columns, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(sent(5, :), columns, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call say('rows', [digest(got)])
    call MPI_Sendrecv(sent(1:rows:2, 2:4), 9, MPI_INTEGER, right, 2, got(2:4, 1:5:2), 9, MPI_INTEGER, left, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call say('blocks', [digest(got)])
    call MPI_Bcast(got(1:3:2, :), 2 * columns, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
    call say('broadcast rows', [digest(got)])
    call release(sent)
    call release(got)
  end subroutine
end module
