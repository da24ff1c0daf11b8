! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
#include "binding.fh"
! Messages around a ring: every call that sends, receives, finds, waits and tests. A row of a matrix is noncontiguous.
module messages
  use data
  USE_MPI
  implicit none
  private
  public :: try_messages
  INCLUDE_MPI
  integer :: left, right, ierr
  DATATYPE :: row
  integer(c_int), pointer, contiguous :: sent(:, :), got(:, :)
  integer, parameter :: n = 3

contains

  subroutine try_messages(ranks)
    integer, intent(in) :: ranks
    left = mod(me + ranks - 1, ranks)
    right = mod(me + 1, ranks)
    call MPI_Type_vector(columns, 1, rows, MPI_INTEGER, row, ierr)
    call MPI_Type_commit(row, ierr)
    call get(sent, columns, me + 1)
    call get(got, columns, 0)
    call blocking()
    call found()
    call waited()
    call tested()
    call persistent()
    call absolute()
    call packed()
    call release(sent)
    call release(got)
    call MPI_Type_free(row, ierr)
  end subroutine

  subroutine tell(what, status)
    character(len=*), intent(in) :: what
    ONE_STATUS(status)
    integer :: count, elements
    call MPI_Get_count(status, row, count, ierr)
    call MPI_Get_elements(status, MPI_INTEGER, elements, ierr)
    call say(what, [SOURCE_OF(status), TAG_OF(status), count, elements, digest(got)])
  end subroutine

  subroutine blocking()
    ONE_STATUS(status)
    call MPI_Sendrecv(sent(2, 1), 1, row, right, 1, got(3, 1), 1, row, left, 1, MPI_COMM_WORLD, status, ierr)
    call tell('sendrecv', status)
    call fill(got, me + 7)
    call MPI_Sendrecv_replace(got(4, 1), 1, row, right, 2, left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call tell('sendrecv_replace', status)
    if (me == 0) then
      call MPI_Send(sent(1, 1), 1, row, right, 3, MPI_COMM_WORLD, ierr)
      call MPI_Ssend(sent(5, 1), 1, row, right, 4, MPI_COMM_WORLD, ierr)
    end if
    call MPI_Recv(got(6, 1), 1, row, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, status, ierr)
    call tell('recv', status)
    call MPI_Recv(got(2, 1), 1, row, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (me /= 0) then
      call MPI_Send(sent(1, 1), 1, row, right, 3, MPI_COMM_WORLD, ierr)
      call MPI_Ssend(sent(5, 1), 1, row, right, 4, MPI_COMM_WORLD, ierr)
    end if
    call say('ignored', [digest(got)])
    call MPI_Recv(got(1, 1), 1, row, MPI_PROC_NULL, 4, MPI_COMM_WORLD, status, ierr)
    call say('of nobody', [merge(1, 0, SOURCE_OF(status) == MPI_PROC_NULL), digest(got)])
  end subroutine

  subroutine found()
    ONE_STATUS(status)
    REQUEST :: request, late
    MESSAGE :: message
    logical :: flag
    call fill(got, 0)
    call MPI_Isend(sent(3, 1), 1, row, right, 11, MPI_COMM_WORLD, request, ierr)
    call MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call tell('probe', status)
    call MPI_Mprobe(left, 11, MPI_COMM_WORLD, message, status, ierr)
    call MPI_Mrecv(got(1, 1), 1, row, message, status, ierr)
    call tell('mrecv', status)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(sent(2, 1), 1, row, right, 12, MPI_COMM_WORLD, request, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(left, 12, MPI_COMM_WORLD, flag, message, status, ierr)
    end do
    call MPI_Imrecv(got(4, 1), 1, row, message, late, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status(late, flag, status, ierr)
    end do
    call tell('imrecv', status)
    call MPI_Wait(late, status, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Iprobe(left, 13, MPI_COMM_WORLD, flag, status, ierr)
    call say('found', [merge(1, 0, flag), merge(1, 0, request == MPI_REQUEST_NULL)])
  end subroutine

  ! n receives of rows 1 to n from the left, of which n sends are under way.
  subroutine start(receives, sends, tag)
    REQUEST, intent(out) :: receives(n), sends(n)
    integer, intent(in) :: tag
    integer :: i
    call fill(got, 0)
    do i = 1, n
      call MPI_Irecv(got(i, 1), 1, row, left, tag + i, MPI_COMM_WORLD, receives(i), ierr)
    end do
    do i = 1, n
      if (i == 2) then
        call MPI_Issend(sent(i + 2, 1), 1, row, right, tag + i, MPI_COMM_WORLD, sends(i), ierr)
      else
        call MPI_Isend(sent(i + 2, 1), 1, row, right, tag + i, MPI_COMM_WORLD, sends(i), ierr)
      end if
    end do
  end subroutine

  ! Place 0 is for MPICH 4.0, whose mpi_f08 counts from there.
  subroutine waited()
    REQUEST :: receives(n), sends(n)
    ONE_STATUS(status)
    STATUSES(statuses, n)
    integer :: i, index, indices(n), outcount, done, seen(0:n)
    call start(receives, sends, 20)
    seen = 0
    do i = 1, n
      call MPI_Waitany(n, receives, index, status, ierr)
      seen(index) = TAG_OF(status)
    end do
    call MPI_Waitany(n, receives, index, status, ierr)
    call MPI_Waitall(n, sends, MPI_STATUSES_IGNORE, ierr)
    call say('waitany', [seen, merge(1, 0, index == MPI_UNDEFINED), digest(got)])
    call start(receives, sends, 30)
    seen = 0
    done = 0
    do while (done < n)
      call MPI_Waitsome(n, receives, outcount, indices, statuses, ierr)
      done = done + outcount
      do i = 1, outcount
        seen(indices(i)) = TAG_AT(statuses, i)
      end do
    end do
    call MPI_Waitsome(n, receives, outcount, indices, MPI_STATUSES_IGNORE, ierr)
    call MPI_Waitall(n, sends, statuses, ierr)
    call say('waitsome', [seen, merge(1, 0, outcount == MPI_UNDEFINED), digest(got)])
    call start(receives, sends, 40)
    call MPI_Waitall(n, receives, statuses, ierr)
    call MPI_Waitall(n, sends, MPI_STATUSES_IGNORE, ierr)
    do i = 1, n
      call tell('waitall', STATUS_OF(statuses, i))
    end do
  end subroutine

  subroutine tested()
    REQUEST :: receives(n), sends(n)
    ONE_STATUS(status)
    STATUSES(statuses, n)
    integer :: i, index, indices(n), outcount, done, seen(0:n)
    logical :: flag
    call start(receives, sends, 50)
    seen = 0
    done = 0
    do while (done < n)
      call MPI_Testany(n, receives, index, flag, status, ierr)
      if (.not. flag) cycle
      done = done + 1
      seen(index) = TAG_OF(status)
    end do
    call MPI_Testany(n, receives, index, flag, MPI_STATUS_IGNORE, ierr)
    call MPI_Waitall(n, sends, MPI_STATUSES_IGNORE, ierr)
    call say('testany', [seen, merge(1, 0, flag), merge(1, 0, index == MPI_UNDEFINED), digest(got)])
    call start(receives, sends, 60)
    seen = 0
    done = 0
    do while (done < n)
      call MPI_Testsome(n, receives, outcount, indices, statuses, ierr)
      done = done + outcount
      do i = 1, outcount
        seen(indices(i)) = TAG_AT(statuses, i)
      end do
    end do
    call MPI_Waitall(n, sends, MPI_STATUSES_IGNORE, ierr)
    call say('testsome', [seen, digest(got)])
    call start(receives, sends, 70)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(n, receives, flag, statuses, ierr)
    end do
    flag = .false.
    do while (.not. flag)
      call MPI_Test(sends(1), flag, MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Waitall(n, sends, MPI_STATUSES_IGNORE, ierr)
    do i = 1, n
      call tell('testall', STATUS_OF(statuses, i))
    end do
    call MPI_Irecv(got, 1, row, left, 99, MPI_COMM_WORLD, receives(1), ierr)
    call MPI_Cancel(receives(1), ierr)
    call MPI_Wait(receives(1), status, ierr)
    call MPI_Test_cancelled(status, flag, ierr)
    call say('cancelled', [merge(1, 0, flag)])
  end subroutine

  subroutine persistent()
    REQUEST :: requests(2)
    STATUSES(statuses, 2)
    integer :: round
    call MPI_Recv_init(got(2, 1), 1, row, left, 80, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Send_init(sent(5, 1), 1, row, right, 80, MPI_COMM_WORLD, requests(2), ierr)
    do round = 1, 2
      call fill(got, 0)
      call fill(sent, me + 10 * round)
      call MPI_Startall(2, requests, ierr)
      call MPI_Waitall(2, requests, statuses, ierr)
      call tell('persistent', STATUS_OF(statuses, 1))
    end do
    call MPI_Start(requests(1), ierr)
    call MPI_Start(requests(2), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
    call say('freed', [merge(1, 0, requests(1) == MPI_REQUEST_NULL), digest(got)])
  end subroutine

  ! Both matrices by their addresses.
  subroutine absolute()
    integer(MPI_ADDRESS_KIND) :: places(2)
    DATATYPE :: types(2), both
    ONE_STATUS(status)
    places = [transfer(c_loc(sent), places(1)), transfer(c_loc(got), places(1))]
    types = row
    call MPI_Type_create_struct(2, [1, 1], places, types, both, ierr)
    call MPI_Type_commit(both, ierr)
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, both, right, 90, left, 90, MPI_COMM_WORLD, status, ierr)
    call MPI_Type_free(both, ierr)
    call tell('bottom', status)
    call say('bottom', [digest(sent)])
  end subroutine

  subroutine packed()
    integer(c_int), pointer, contiguous :: room(:, :)
    integer :: position, bytes
    call get(room, 2, 0)
    call MPI_Pack_size(1, row, MPI_COMM_WORLD, bytes, ierr)
    position = 4
    call MPI_Pack(sent(3, 1), 1, row, room, 8 * rows, position, MPI_COMM_WORLD, ierr)
    call say('pack', [bytes, position, digest(room)])
    position = 4
    call MPI_Unpack(room, 8 * rows, position, got(1, 1), 1, row, MPI_COMM_WORLD, ierr)
    call say('unpack', [position, digest(got)])
    call release(room)
  end subroutine
end module
