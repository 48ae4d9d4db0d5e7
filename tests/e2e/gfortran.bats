#!/usr/bin/env bats
# Fortran: modules are written by the names that sources give, and read by those that use them.

setup() {
	load lib
	case_setup
	need gfortran
	put m.f90 'module shapes' '  implicit none' 'contains' '  real function area(r)' \
		'    real, intent(in) :: r' \
		'    area = 3.0 * r * r' '  end function' 'end module'
	put p.f90 'program p' '  use shapes' "  include 'k.inc'" '  print *, area(2.0) * k' \
		'end program'
	put k.inc '  real, parameter :: k = 2.0'
}
teardown() { case_teardown; }

@test "gfortran: an object, assembly, a program" {
	put a.f90 'integer function a(x)' '  integer, intent(in) :: x' '  a = x + 1' 'end function'
	differential --makes a.o -- gfortran -O2 -c a.f90
	differential --makes a.s -- gfortran -S a.f90
	differential --makes b/a.o -- sh -c 'mkdir b; gfortran -O2 -c a.f90 -o b/a.o'
	put q.f90 'print *, 1' 'end'
	differential --makes q -- gfortran q.f90 -o q
	gfortran -c q.f90
	differential --makes q -- gfortran q.o -o q
}

@test "gfortran: a module is written, with its object" {
	differential --fresh --makes "m.o shapes.mod" -- gfortran -c m.f90
	mkdir mods
	differential --fresh --makes "m.o mods/shapes.mod" -- gfortran -J mods -c m.f90
	differential --fresh --makes "m.o mods/shapes.mod" -- gfortran -Jmods -c m.f90
}

@test "gfortran: an equal module is left alone" {
	differential --fresh --makes "m.o shapes.mod" -- gfortran -c m.f90
	gfortran -c m.f90
	rm m.o
	touch -d '2020-01-01' shapes.mod
	differential --cold miss --makes m.o -- gfortran -c m.f90
	[ "$(stat -c %Y shapes.mod)" = "$(date -d 2020-01-01 +%s)" ]
}

@test "gfortran: a module that changes" {
	gfortran -c m.f90
	put m.f90 'module shapes' '  integer :: sides' 'end module'
	differential --fresh --cold unstored -- gfortran -c m.f90
}

@test "gfortran: a source that uses a module" {
	gfortran -c m.f90
	differential --makes p.o -- gfortran -c p.f90
	mkdir mods
	gfortran -J mods -c m.f90
	rm shapes.mod
	differential --makes p.o -- gfortran -I mods -c p.f90
	differential --cold any --makes p.o -- gfortran -J mods -c p.f90
}

@test "gfortran: another module, another answer" {
	gfortran -c m.f90
	differential --makes p.o -- gfortran -c p.f90
	put m.f90 'module shapes' '  implicit none' 'contains' '  real function area(r)' \
		'    real, intent(in) :: r' '    area = r' \
		'  end function' '  subroutine more()' '  end subroutine' 'end module'
	gfortran -c m.f90
	again miss:input
	rm shapes.mod
	differential --status 1 --cold unstored -- gfortran -c p.f90
}

@test "gfortran: a line that is included changes" {
	gfortran -c m.f90
	differential -- gfortran -c p.f90
	put k.inc '  real, parameter :: k = 3.0'
	again miss:input
}

@test "gfortran: -cpp, fixed form, submodules, -fopenmp" {
	put c.F90 '#include "a.h"' 'integer function c()' '  c = A' 'end function'
	put a.h '#define A 7'
	differential --makes c.o -- gfortran -c c.F90
	put a.h '#define A 8'
	again miss:input
	put f.f '      integer function f()' '      f = 1' '      end'
	differential --makes f.o -- gfortran -c f.f
	put s.f90 'module base' '  interface' '    module subroutine s()' '    end subroutine' \
		'  end interface' 'end module'
	put t.f90 'submodule (base) impl' 'contains' '  module subroutine s()' '  end subroutine' \
		'end submodule'
	differential --fresh --makes "s.o base.mod base.smod" -- gfortran -fopenmp -c s.f90
	gfortran -fopenmp -c s.f90
	differential --makes "t.o base@impl.smod" -- gfortran -fopenmp -c t.f90
}

@test "gfortran: an error" {
	put e.f90 'program e' '  use nowhere' 'end program'
	differential --status 1 --cold unstored -- gfortran -c e.f90
}
