#!/usr/bin/env bats
# Scripts in Perl between a tool and the program that it starts. A text that is known in full is
# part of the action. With any other text the run is not stored.

setup() {
	load lib
	load wrappers_lib
	load cuda
	case_setup
	HEAD=('#!/usr/bin/perl' 'use strict;')
	EXEC="exec '$AS', @ARGV or die \"$AS: \$!\";"
	need perl
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

@test "wrappers in perl: arguments that are passed on" {
	stored_script 'use warnings;' "$EXEC"
	again hit --env $'FOO=1\nRANK=3\nHOSTNAME=other\nSLURM_PROCID=2'
	script as '#!/usr/bin/perl' 'use strict;' 'use warnings;' '# other' "$EXEC"
	again miss
}

# bats test_tags=check
@test "wrappers in perl: what the text names is an input" {
	stored_script 'push @ARGV, "--defsym", "x=$ENV{X}" if defined $ENV{X};' "$EXEC"
	again hit --env Y=1
	again miss --env X=1
	again miss --env X=2
	again hit --env X=1
	stored_script "my @a = -e '$W/there' ? ('--defsym', 'y=1') : qw();" "exec '$AS', @ARGV, @a;"
	put there one
	again miss
	put there two
	again miss
	# The message in $! is in the user's language.
	script as '#!/usr/bin/perl' 'use strict;' 'exec "/nothing/as", @ARGV or die "as: $!\n";'
	differential --status any --cold miss+unstored --warm miss+unstored -- gcc -B bin -c a.c ||
		differential --status any --cold unstored --warm unstored -- gcc -B bin -c a.c
}

@test "wrappers in perl: below a shell, and a shell below it" {
	script real '#!/usr/bin/perl' 'use strict;' "$EXEC"
	script as '#!/bin/sh' "exec $W/bin/real \"\$@\""
	differential --makes a.o -- gcc -B bin -c a.c
	stored_script "system('$AS', @ARGV) == 0 or exit 1;"
}

@test "wrappers in perl: texts that are refused" {
	refused_for 'a variable' 'my $x = $$;' "$EXEC"
	refused_for 'a value that is not known' 'my $x = time;' "$EXEC"
	refused_for 'a value that is not known' 'my $x = {};' "$EXEC"
	refused_for 'another module' 'use POSIX;' "$EXEC"
	refused_for 'a generated name' '@ARGV = grep { ($_ !~ /b/) || 1 } @ARGV;' "$EXEC"
	refused_for 'a generated name' 'my $v = `as --version`;' "$EXEC"
	script as '#!/usr/bin/perl' "$EXEC"
	differential --cold unstored:script --warm unstored:script -- gcc -B bin -c a.c
}

@test "wrappers in perl: variables of the interpreter" {
	put Time.pm 'package Time; 1;'
	stored_script "$EXEC"
	again unstored:script --env $'PERL5LIB=.\nPERL5OPT=-MTime'
	# A module that replaces strict.
	mkdir lib
	put lib/strict.pm 'package strict; sub import { push @ARGV, "--defsym", "x=1" } 1;'
	script as '#!/usr/bin/perl' 'use strict;' "$EXEC"
	differential --env PERL5LIB=lib --cold unstored:script --warm unstored:script -- \
		gcc -B bin -c a.c
}

@test "wrappers in perl: nvcc's host compiler" {
	need_nvcc
	cuda_source a.cu
	script gcc '#!/usr/bin/perl' 'use strict;' 'my @a;' 'foreach my $x (@ARGV) {' \
		'	next if $x eq "-Wextra";' '	push @a, $x unless $x =~ /^-Wno/;' '}' \
		"exec 'gcc', (\$ENV{MY_FLAGS} || '-DX'), @a;"
	nvcc_hit() { differential --cold any --warm hit --mask "$XFT" --filter "$XFT" \
		--makes a.o "$@" -- nvcc -ccbin bin/gcc -c a.cu; }
	nvcc_hit
	nvcc_hit --env MY_FLAGS=-DMORE
}
