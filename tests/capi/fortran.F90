! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
!
! The interface of C from Fortran, by iso_c_binding: rank 0 packs a row of a matrix, and sends it; rank 1 receives it as a row of
! another. The MPI is called as C calls it, since an MPI need not have been built with Fortran.
module typewarp_in_fortran
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: tw_success = 0, tw_err_argument = 1, tw_double = 15
#ifdef OPEN_MPI
#define COMM type(c_ptr)
#else
#define COMM integer(c_int)
#endif

  interface
    function tw_datatype_named(named) bind(c) result(datatype)
      import :: c_int, c_ptr
      integer(c_int), value :: named
      type(c_ptr) :: datatype
    end function
    function tw_datatype_vector(count, blocklength, stride, child, datatype) bind(c) result(outcome)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: count, blocklength, stride
      type(c_ptr), value :: child
      type(c_ptr), intent(out) :: datatype
      integer(c_int) :: outcome
    end function
    subroutine tw_datatype_free(datatype) bind(c)
      import :: c_ptr
      type(c_ptr), value :: datatype
    end subroutine
    function tw_plan_commit(datatype, plan) bind(c) result(outcome)
      import :: c_int, c_ptr
      type(c_ptr), value :: datatype
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: outcome
    end function
    subroutine tw_plan_free(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
    function tw_pack(buffer, count, plan, packed, range, stream) bind(c) result(outcome)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: buffer, plan, packed, range, stream
      integer(c_int64_t), value :: count
      integer(c_int) :: outcome
    end function
    function tw_send(buffer, count, plan, destination, tag, comm_of, stream) bind(c) result(outcome)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: buffer, plan, stream
      integer(c_int64_t), value :: count
      integer(c_int), value :: destination, tag
      COMM, value :: comm_of
      integer(c_int) :: outcome
    end function
    function tw_recv(buffer, count, plan, source, tag, comm_of, stream, status) bind(c) result(outcome)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: buffer, plan, stream, status
      integer(c_int64_t), value :: count
      integer(c_int), value :: source, tag
      COMM, value :: comm_of
      integer(c_int) :: outcome
    end function
    function tw_explain(plan, count, options, explanation) bind(c) result(outcome)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan, options
      integer(c_int64_t), value :: count
      type(c_ptr), intent(out) :: explanation
      integer(c_int) :: outcome
    end function
    function tw_explanation_text(explanation) bind(c) result(text)
      import :: c_ptr
      type(c_ptr), value :: explanation
      type(c_ptr) :: text
    end function
    subroutine tw_explanation_free(explanation) bind(c)
      import :: c_ptr
      type(c_ptr), value :: explanation
    end subroutine
    function tw_error_argument() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function mpi_init_c(argc, argv) bind(c, name="MPI_Init") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: argc, argv
      integer(c_int) :: code
    end function
    function mpi_comm_rank_c(comm_of, rank) bind(c, name="MPI_Comm_rank") result(code)
      import :: c_int, c_ptr
      COMM, value :: comm_of
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function
    function mpi_finalize_c() bind(c, name="MPI_Finalize") result(code)
      import :: c_int
      integer(c_int) :: code
    end function
#ifdef OPEN_MPI
    function mpi_comm_f2c_c(handle) bind(c, name="MPI_Comm_f2c") result(comm_of)
      import :: c_int, c_ptr
      integer(c_int), value :: handle
      type(c_ptr) :: comm_of
    end function
#endif
  end interface

contains

  function world() result(comm_of)
    COMM :: comm_of
#ifdef OPEN_MPI
    comm_of = mpi_comm_f2c_c(0_c_int)
#else
    comm_of = int(z'44000000', c_int)
#endif
  end function
end module

program fortran
  use typewarp_in_fortran
  implicit none
  integer, parameter :: rows = 4, columns = 6
  real(c_double), target :: matrix(rows, columns), other(rows, columns), packed(columns), expected(rows, columns)
  type(c_ptr) :: datatype, plan, explanation
  character(kind=c_char), pointer :: text(:)
  integer(c_int) :: rank
  integer :: row, column

  if (mpi_init_c(c_null_ptr, c_null_ptr) /= 0) error stop "MPI_Init"
  if (mpi_comm_rank_c(world(), rank) /= 0) error stop "MPI_Comm_rank"
  do column = 1, columns
    do row = 1, rows
      matrix(row, column) = 100 * row + column
    end do
  end do
  other = -1

  ! A row: columns numbers, as far apart as a column is long.
  call check(tw_datatype_vector(int(columns, c_int64_t), 1_c_int64_t, int(rows, c_int64_t), tw_datatype_named(tw_double), datatype))
  call check(tw_plan_commit(datatype, plan))
  call tw_datatype_free(datatype)

  call check(tw_pack(c_loc(matrix(3, 1)), 1_c_int64_t, plan, c_loc(packed), c_null_ptr, c_null_ptr))
  if (any(packed /= matrix(3, :))) error stop "packed"

  if (rank == 0) then
    call check(tw_send(c_loc(matrix(2, 1)), 1_c_int64_t, plan, 1_c_int, 7_c_int, world(), c_null_ptr))
  else
    call check(tw_recv(c_loc(other(4, 1)), 1_c_int64_t, plan, 0_c_int, 7_c_int, world(), c_null_ptr, c_null_ptr))
    expected = -1
    expected(4, :) = matrix(2, :)
    if (any(other /= expected)) error stop "received"
  end if

  call check(tw_explain(plan, 1_c_int64_t, c_null_ptr, explanation))
  call c_f_pointer(tw_explanation_text(explanation), text, [9])
  if (text(1) == c_null_char) error stop "explanation"
  call tw_explanation_free(explanation)

  if (tw_send(c_loc(matrix), -1_c_int64_t, plan, 0_c_int, 7_c_int, world(), c_null_ptr) /= tw_err_argument) error stop "refused"
  call c_f_pointer(tw_error_argument(), text, [6])
  if (any(text /= ["c", "o", "u", "n", "t", c_null_char])) error stop "argument"
  call tw_plan_free(plan)
  if (mpi_finalize_c() /= 0) error stop "MPI_Finalize"
  if (rank == 1) print "(a)", "as expected"

contains

  subroutine check(outcome)
    integer(c_int), intent(in) :: outcome
    if (outcome /= tw_success) error stop "a call of Typewarp"
  end subroutine
end program
