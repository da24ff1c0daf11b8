! Copyright (c) 2026 The Typewarp Authors
! SPDX-License-Identifier: BSD-3-Clause
! Matrices in memory of a kind, and what a rank has to say of them.
module data
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: rows = 6, columns = 5, most_lines = 100, length = 120

  interface
    function process_id() bind(C, name='getpid')
      import :: c_int
      integer(c_int) :: process_id
    end function
    subroutine memory_kind(kind) bind(C)
      import :: c_char
      character(kind=c_char), intent(in) :: kind(*)
    end subroutine
    subroutine memory_device(rank) bind(C)
      import :: c_int
      integer(c_int), value :: rank
    end subroutine
    function memory_is_host() bind(C)
      import :: c_int
      integer(c_int) :: memory_is_host
    end function
    function memory_get(bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr) :: memory_get
      integer(c_size_t), value :: bytes
    end function
    subroutine memory_free(memory) bind(C)
      import :: c_ptr
      type(c_ptr), value :: memory
    end subroutine
    subroutine memory_write(memory, host, bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: memory, host
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine memory_read(host, memory, bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: host, memory
      integer(c_size_t), value :: bytes
    end subroutine
  end interface

  character(len=length) :: lines(most_lines) = ''
  integer :: n_lines = 0, me = 0

contains

  subroutine get(matrix, n, seed)
    integer(c_int), pointer, contiguous, intent(out) :: matrix(:, :)
    integer, intent(in) :: n, seed  ! so many columns
    call c_f_pointer(memory_get(int(4 * rows * n, c_size_t)), matrix, [rows, n])
    call fill(matrix, seed)
  end subroutine

  subroutine release(matrix)
    integer(c_int), pointer, contiguous, intent(inout) :: matrix(:, :)
    call memory_free(c_loc(matrix))
    nullify(matrix)
  end subroutine

  subroutine fill(matrix, seed)
    integer(c_int), pointer, contiguous, intent(in) :: matrix(:, :)
    integer, intent(in) :: seed
    integer(c_int), allocatable, target :: host(:, :)
    integer :: i, j
    allocate(host(rows, size(matrix, 2)))
    do j = 1, size(host, 2)
      do i = 1, rows
        host(i, j) = 10000 * seed + 100 * i + j
      end do
    end do
    call memory_write(c_loc(matrix), c_loc(host), int(4 * size(host), c_size_t))
  end subroutine

  ! Tells places of values apart.
  function digest(matrix)
    integer(c_int), pointer, contiguous, intent(in) :: matrix(:, :)
    integer :: digest, i, j
    integer(c_int), allocatable, target :: host(:, :)
    allocate(host(rows, size(matrix, 2)))
    call memory_read(c_loc(host), c_loc(matrix), int(4 * size(host), c_size_t))
    digest = 0
    do j = 1, size(host, 2)
      do i = 1, rows
        digest = mod(digest * 31 + mod(host(i, j), 9973) + 3 * i + j, 65521)
      end do
    end do
  end function

  subroutine say(what, values)
    character(len=*), intent(in) :: what
    integer, intent(in) :: values(:)
    if (n_lines == most_lines) error stop 'more lines than there is room for'
    n_lines = n_lines + 1
    write(lines(n_lines), '(a, i0, ": ", a, *(1x, i0))') 'rank ', me, what, values
  end subroutine
end module
