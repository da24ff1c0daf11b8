! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
! Partitioned communication around a ring, of every second integer, by mpi_f08: other bindings of MPICH 4.0 take no logical in MPI_Parrived.
program partitions
  use data
  use mpi_f08
  implicit none
  integer, parameter :: parts = 4, each = 10
  integer(MPI_COUNT_KIND), parameter :: n = each
  integer(c_int), pointer, contiguous :: sent(:, :), got(:, :)
  type(MPI_Datatype) :: spread
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  character(len=20) :: kind
  character(len=length), allocatable :: all_lines(:)
  integer :: ranks, round, count, provided
  logical :: arrived
  call get_command_argument(1, kind)
  call memory_kind(trim(kind)//c_null_char)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call memory_device(me)
  call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, spread)
  call MPI_Type_commit(spread)
  call get(sent, 2 * parts * each / rows + 1, me + 1)
  call get(got, 2 * parts * each / rows + 1, 0)
  call MPI_Psend_init(sent, parts, n, spread, mod(me + 1, ranks), 3, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
  call MPI_Precv_init(got, parts / 2, 2 * n, spread, mod(me + ranks - 1, ranks), 3, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
  do round = 1, 3
    call fill(sent, me + 10 * round)
    call fill(got, 0)
    call MPI_Startall(2, requests)
    call MPI_Pready_list(2, [2, 0], requests(1))
    call MPI_Pready(1, requests(1))
    call MPI_Pready_range(3, 3, requests(1))
    arrived = .false.
    do while (.not. arrived)
      call MPI_Parrived(requests(2), 1, arrived)
    end do
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call MPI_Wait(requests(2), status)
    call MPI_Get_count(status, spread, count)
    call say('partitions', [status%MPI_SOURCE, status%MPI_TAG, count, digest(got)])
  end do
  allocate(all_lines(most_lines * ranks))
  call MPI_Gather(lines, most_lines * length, MPI_CHARACTER, all_lines, most_lines * length, MPI_CHARACTER, 0, MPI_COMM_WORLD)
  if (me == 0) then
    do round = 1, size(all_lines)
      if (all_lines(round) /= '') print '(a)', trim(all_lines(round))
    end do
  end if
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
  call release(sent)
  call release(got)
  call MPI_Type_free(spread)
  call MPI_Finalize()
end program
