! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
#include "binding.fh"
! A Fortran program that knows nothing of us, on memory of the kind that its argument names. All ranks' lines are the
! same without us on memory of the host.
program calls
  use collectives
  use data
  use messages
  use sections
  USE_MPI
  implicit none
  INCLUDE_MPI
  character(len=20) :: kind
  character(len=length), allocatable :: all_lines(:)
  integer :: ranks, provided, ierr, i
  call get_command_argument(1, kind)
  call memory_kind(trim(kind)//c_null_char)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call memory_device(me)
  call try_messages(ranks)
  call try_collectives(ranks)
  call try_sections(ranks)
  allocate(all_lines(most_lines * ranks))
  call MPI_Gather(lines, most_lines * length, MPI_CHARACTER, all_lines, most_lines * length, MPI_CHARACTER, 0, &
                  MPI_COMM_WORLD, ierr)
  if (me == 0) then
    do i = 1, size(all_lines)
      if (all_lines(i) /= '') print '(a)', trim(all_lines(i))
    end do
  end if
  call MPI_Finalize(ierr)
end program
