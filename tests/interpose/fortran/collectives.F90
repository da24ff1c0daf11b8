! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
#include "binding.fh"
! Collective calls, in place too, reductions of the program's own, and a file.
module collectives
  use data
  USE_MPI
  implicit none
  private
  public :: try_collectives
  INCLUDE_MPI
  integer :: ierr, ranks
  DATATYPE :: row
  integer(c_int), pointer, contiguous :: sent(:, :), got(:, :)

contains

  subroutine try_collectives(size)
    integer, intent(in) :: size
    DATATYPE :: wide
    ranks = size
    call MPI_Type_vector(columns, 1, rows, MPI_INTEGER, wide, ierr)
    call MPI_Type_create_resized(wide, 0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, row, ierr)
    call MPI_Type_free(wide, ierr)
    call MPI_Type_commit(row, ierr)
    call get(sent, columns, me + 1)
    call get(got, columns * ranks, 0)
    call moved()
    call moved_in_place()
    call exchanged()
    call among_neighbours()
    call reduced()
    call own_operation()
    call in_file()
    call release(sent)
    call release(got)
    call MPI_Type_free(row, ierr)
  end subroutine

  subroutine moved()
    REQUEST :: request
    ONE_STATUS(status)
    call MPI_Bcast(sent(1, 1), 2, row, 1, MPI_COMM_WORLD, ierr)
    call say('bcast', [digest(sent)])
    call MPI_Gather(sent(2, 1), 1, row, got, 1, row, 0, MPI_COMM_WORLD, ierr)
    call say('gather', [digest(got)])
    call MPI_Scatter(got, 1, row, sent(4, 1), 1, row, 0, MPI_COMM_WORLD, ierr)
    call say('scatter', [digest(sent)])
    call MPI_Iallgather(sent(3, 1), 1, row, got, 1, row, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, status, ierr)
    call say('iallgather', [merge(1, 0, request == MPI_REQUEST_NULL), digest(got)])
    call MPI_Allgatherv(sent(1, 1), 1, row, got, spread(1, 1, ranks), [0, 2, 4], row, MPI_COMM_WORLD, ierr)
    call say('allgatherv', [digest(got)])
  end subroutine

  subroutine moved_in_place()
    call fill(got, me + 20)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 2, row, MPI_COMM_WORLD, ierr)
    call say('allgather', [digest(got)])
    if (me == 1) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 1, row, 1, MPI_COMM_WORLD, ierr)
    else
      call MPI_Gather(sent(2, 1), 1, row, got, 0, row, 1, MPI_COMM_WORLD, ierr)
    end if
    call say('gather in place', [digest(got)])
    if (me == 0) then
      call MPI_Scatter(got, 1, row, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, ierr)
    else
      call MPI_Scatter(got, 0, row, sent, 1, row, 0, MPI_COMM_WORLD, ierr)
    end if
    call say('scatter in place', [digest(got), digest(sent)])
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 1, row, MPI_COMM_WORLD, ierr)
    call say('alltoall', [digest(got)])
  end subroutine

  subroutine exchanged()
    DATATYPE :: types(ranks)
    REQUEST :: request
    integer :: counts(ranks), places(ranks), i
    types = row
    counts = 1
    places = [(2 * i, i = 0, ranks - 1)]
    call MPI_Alltoallv(sent, counts, places, row, got, counts, places, row, MPI_COMM_WORLD, ierr)
    call say('alltoallv', [digest(got)])
    call fill(got, 0)
    call MPI_Ialltoallv(sent, counts, places, row, got, counts, places, row, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('ialltoallv', [digest(got)])
    places = 4 * places
    call MPI_Alltoallw(sent, counts, places, types, got, counts, places, types, MPI_COMM_WORLD, ierr)
    call say('alltoallw', [digest(got)])
  end subroutine

  subroutine among_neighbours()
    COMM :: ring
    DATATYPE :: types(2)
    integer :: both(2)
    both = [mod(me + ranks - 1, ranks), mod(me + 1, ranks)]
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                        .false., ring, ierr)
    types = row
    call MPI_Neighbor_alltoallw(sent, [1, 1], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], types, got, [1, 1], &
                                [4_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND], types, ring, ierr)
    call say('neighbor_alltoallw', [digest(got)])
    call MPI_Neighbor_allgather(sent, 1, row, got, 1, row, ring, ierr)
    call say('neighbor_allgather', [digest(got)])
    call MPI_Comm_free(ring, ierr)
  end subroutine

  subroutine reduced()
    REQUEST :: request
    integer, parameter :: n = rows * columns
    call fill(got, me)
    call MPI_Allreduce(sent, got, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call say('allreduce', [digest(got)])
    call fill(got, me + 3)
    call MPI_Allreduce(MPI_IN_PLACE, got, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    call say('allreduce in place', [digest(got)])
    if (me == 2) then
      call MPI_Reduce(MPI_IN_PLACE, got, n, MPI_INTEGER, MPI_SUM, 2, MPI_COMM_WORLD, ierr)
    else
      call MPI_Reduce(sent, got, n, MPI_INTEGER, MPI_SUM, 2, MPI_COMM_WORLD, ierr)
    end if
    call say('reduce', [digest(got)])
    call MPI_Iscan(sent, got, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('iscan', [digest(got)])
  end subroutine

#ifdef BINDING_F08
  subroutine combine(arrived, result, n, datatype)
    type(c_ptr), value :: arrived, result
    integer :: n
    type(MPI_Datatype) :: datatype
    integer(c_int), pointer :: a(:), b(:)
    call c_f_pointer(arrived, a, [n])
    call c_f_pointer(result, b, [n])
    b = mod(3 * a + b, 10007)
    if (datatype == MPI_DATATYPE_NULL) b = -1
  end subroutine
#else
  subroutine combine(a, b, n, datatype)
    integer :: n, datatype
    integer :: a(n), b(n)
    b = mod(3 * a + b, 10007)
    if (datatype == MPI_DATATYPE_NULL) b = -1
  end subroutine
#endif

  subroutine own_operation()
    OP :: op
    call MPI_Op_create(combine, .false., op, ierr)
    call MPI_Allreduce(sent, got, rows * columns, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
    call say('own operation', [digest(got)])
    call MPI_Op_free(op, ierr)
  end subroutine

  subroutine in_file()
    FILE_HANDLE :: file
    REQUEST :: request
    ONE_STATUS(status)
    integer :: count
    integer(MPI_OFFSET_KIND) :: offset
    character(len=40) :: name
    integer :: process
    logical :: there
    inquire(file='/dev/shm/.', exist=there)
    process = process_id()
    call MPI_Bcast(process, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    write(name, '(2a, i0)') trim(merge('/dev/shm', '/tmp    ', there)), '/fortran.', process
    call MPI_File_open(MPI_COMM_WORLD, trim(name), ior(ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_MODE_DELETE_ON_CLOSE), &
                       MPI_INFO_NULL, file, ierr)
    if (ierr /= MPI_SUCCESS) error stop 'cannot open a file'
    offset = 4 * columns * me
    call MPI_File_write_at_all(file, offset, sent(2, 1), 1, row, status, ierr)
    call MPI_Get_count(status, row, count, ierr)
    call say('write_at_all', [count])
    call MPI_File_sync(file, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, got, ranks, row, status, ierr)
    call MPI_Get_elements(status, MPI_INTEGER, count, ierr)
    call say('read_at', [count, digest(got)])
    call MPI_File_iread_at(file, offset, got(5, 1), 1, row, request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Get_count(status, row, count, ierr)
    call say('iread_at', [count, digest(got)])
    call MPI_File_close(file, ierr)
  end subroutine
end module
