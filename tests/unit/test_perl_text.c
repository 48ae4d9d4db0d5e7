/* Texts in Perl that are read, and texts that are refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/perl_text.h"

static char named[256];

static void note(void *ctx, const char *name, size_t n)
{
	(void)ctx;
	strncat(named, name, n);
	strcat(named, " ");
}

/* Behind `use strict`, but for a text with a first line. */
static const char *read_text(const char *text, int *letters)
{
	struct perl_found found = {note, NULL, 0};
	static char whole[1024];
	const char *why;

	named[0] = '\0';
	snprintf(whole, sizeof whole, "%s%s", strncmp(text, "#!", 2) ? "use strict;\n" : "", text);
	why = perl_text(whole, &found);
	*letters = found.letters;
	return why;
}

#define EACH(list) for (size_t i = 0; i < sizeof(list) / sizeof *(list); i++)

/* Texts that pass arguments on, or compare complete arguments. */
static const char *const passing[] = {
	"#!/usr/bin/perl\nuse strict;\nexec 'gcc', @ARGV;\n",
	"#!/usr/bin/perl5.36.0\nuse strict;\nuse warnings;\n# it's a comment\nexec('gcc', @ARGV);",
	"#!/usr/bin/env perl\nuse warnings;\nuse strict;\n"
	"exec 'gcc', @ARGV or die \"cannot run gcc: $!\\n\";",
	"my @args = grep { $_ ne '-pipe' && $_ ne \"-g\" } @ARGV; exec 'gcc', @args;",
	"my ($x, @rest) = @ARGV; if (@rest == 0) { exit 1; } elsif ($x eq '-v') { shift @rest; }\n"
	"else { unshift @rest, $x }\nexec 'as', @rest;",
	"my $cc = $ENV{CC} || 'gcc'; $ENV{'LC_ALL'} = 'C'; delete $ENV{X} if exists $ENV{X};\n"
	"exec $cc, @ARGV;",
	"my @a; for my $x (@ARGV) { next if $x =~ /^-W/; push @a, $x unless $x =~ /\\.(c|cc)$/; }\n"
	"exec 'gcc', @a;",
	"foreach my $x (@ARGV) { print STDERR \"got $x\\n\" if $ENV{VERBOSE}; last if !@ARGV; }\n"
	"system('gcc', @ARGV) == 0 or exit($? >> 8);",
	"my @x = (@ARGV, '-O1', qw(-g -fPIC)); @ARGV = @x; exec 'gcc', (@x, 'a'), 'b' . \"c\";",
	"while (@ARGV && $ARGV[0] =~ /^-D(.*)$/) { my $d = $1; shift; }\nexec \"gcc\", @ARGV",
	"if ($ARGV[0] =~ m|^-|) { warn 'x' } unless (not $ARGV[0]) { $ENV{A} ||= 'b' }",
	"if (-e '/etc/x' and -f \"$ENV{HOME}/y\") { exit 0 } exec 'gcc', $ARGV[0], $ARGV[-1];",
	"for my $f ('a', \"b\", qw(c d)) { push @ARGV, $f } foreach (@ARGV) { warn $_; }",
	"my $n = @ARGV > 1 ? 'a' : 'b'; my @r = defined $n ? (1, 2) : $n ? @ARGV : qw(x);",
	"my $x = 'a' . \"${n}b$r[0]c$r[-1]@r\\@\"; $x .= 'b'; exec 'gcc', $x || $n;",
	"while (my $x = shift @ARGV) { next unless $x; last } my $y = shift || 'a'; exit",
	"if (($x eq 'a' || !$y) && !defined($z)) { die \"$x: $!\" } exit $? >> 8;",
};

static void expect_read(const char *text, int looks)
{
	int letters;
	const char *why = read_text(text, &letters);

	cr_expect_null(why, "%s: %s", text, why);
	cr_expect_eq(letters, looks, "%s", text);
}

Test(perl_text, passes)
{
	EACH(passing)
		expect_read(passing[i], 0);
}

Test(perl_text, names_variables)
{
	int letters;

	cr_expect_null(read_text("my $x = $ENV{CC} . \"$ENV{A_B}/$ENV{'C'}\"; $ENV{D} = 1;",
	                         &letters));
	cr_expect_str_eq(named, "CC A_B C D ");
}

/* Texts that may look at letters of their arguments. */
static const char *const looking[] = {
	"if ($ARGV[0] =~ /a/) { exit 1 }", "if ($x =~ /^a/) { exit 1 }",
	"if ($x =~ /^-a|b/) { exit }", "if ($x =~ /^-a[bc]/) { exit }",
	"if ($x =~ /a$/) { exit }", "if ($x =~ /^-a.b/) { exit }", "$x =~ s/a/b/;",
	"$x =~ s/^-a//gi;", "exit 1 if $x =~ /^-\\d/;", "exit 1 if $x =~ /\\.c|A|o$/;",
	"exit 1 if $x =~ /\\.(c|b)(d|e)$/;", "my $x = `gcc -dumpversion`; chomp $x;",
	"exit 1 if $x !~ /(?:a)/i;",
	"my $y = \"-$x\"; exit if $y =~ /^-cc/;", "my $y = '-' . $x; exit if $y =~ /^-cc/;",
	"my $y = '-'; $y .= $x; exit if $y =~ /^-cc/;",
};

Test(perl_text, looks_at_letters)
{
	EACH(looking)
		expect_read(looking[i], 1);
}

static const char *const refused[] = {
	/* what differs between two runs */
	"exec 'gcc', $$;", "exec \"gcc$$\";", "my $t = time;", "my $t = time();", "rand 5;",
	"exec 'gcc', $^T;", "my $x = getppid;", "srand;", "localtime;", "my @x = stat 'a';",
	"my $x = -M 'a';", "exit if -t STDIN;", "my $x = -s 'a';", "exit if -x 'a';",
	"exit if -r $x;", "times;", "my $x = $<;",
	"my $x = \"$<\";", "my $x = $];", "my $x = $^X;", "my $x = \"${^TAINT}\";",
	/* references, whose texts are addresses */
	"my $x = [1];", "my $x = {};", "my $x = \\@ARGV;", "my $x = sub { 1 };",
	"print STDERR {a};",
	"$x[0][1] = 1;", "$x[0] [1] = 1;", "$x->[0] = 1;", "my $x = \"$y->[0]\";", "@$x = 1;",
	"my @x = @{$y};", "exec \"@{[ time ]}\";", "exec \"${\\ time}\";", "$$x = 1;", "&f_x(1);",
	"my $x = *STDERR;", "my $x = \"$y[0][1]\";", "my $x = \"$y{a}\";", "my $x = qr/a/;",
	"my @x = map { \"$_\", 1 } @ARGV;", "my @x = map { {} } @ARGV;", "my @x = map +{ }, @ARGV;",
	"my @x = (1)[0][1];", "my @x = sort @ARGV;", "my $x = join ',', @y;", "my $x = lc $y;",
	"my $x = $y + 1;", "$x++;", "$x = 'a' x 3;", "my $x = length $y;", "$x =~ tr/a/b/;",
	"exec {$x} @ARGV;", "$x = $y{a};", "$x = $y {a};",
	/* hashes, and all of the environment */
	"my %h;", "my @k = keys %ENV;", "my $x = $ENV{$y};", "my $x = \"$ENV{$y}\";",
	"@ENV{qw(A)};",
	"my $x = $ENV{A . 'B'};", "each %x;", "my $x = $ENV {A};", "my @x = %ENV;",
	"my $x = $ENV{LD_PRELOAD};", "my $x = \"$ENV{REPRISE_LIB}\";",
	/* files, modules and code */
	"open(F, 'a');", "while (<STDIN>) { }", "my $x = <>;", "my @x = <*.c>;", "eval 'time';",
	"do 'x.pl';", "require 'x.pl';", "use POSIX;", "use lib 'x';", "use 5.010;", "no strict;",
	"print 'a';", "print STDOUT 'a';", "printf STDERR '%p', $x;", "sprintf('%p', $x);", "fork;",
	"BEGIN { }", "package X;", "local $x = 1;", "Foo->bar;", "new Foo;", "CORE::time;",
	"goto X;", "X: while (1) { last X; }", "unlink 'a';", "$SIG{INT} = 'x';", "@INC = ();",
	"$main::x = 1;", "my $x = $main'ENV{A};", "my $x = \"$y::z\";", "my $x = \"$y'z\";",
	"dump;",
	/* patterns and strings that run code, or load tables */
	"$x =~ /(?{ time })/;", "$x =~ /(??{ time })/;", "$x =~ s/a/time/e;", "$x =~ /a/x;",
	"$x =~ /\\p{L}/;", "$x =~ /@{[time]}/;", "$x =~ /$$/;", "my $x = \"\\N{U+41}\";",
	"$x =~ /(*F)/;", "my $x = \"@0[`date`]\";", "$x =~ m{a};", "my $x = qx(date);",
	"my $x = \"$y[$z[0]]\";", "my $x = \"$y[time]\";",
	/* where Perl's reader guesses */
	"my $x = 1 / 2; # / time", "shift / 2; # /;", "shift < 5; exit 1 > 2;", "time / 1; #/;",
	"my $x = <<A;\ntime\nA\n",
	"my $x = y / a;", "my $x = a => 1;", "f_x / 1;", "my $x = %y;", "my $x = $y % 2;", "-foo;",
	"$x ? /a/ : 1 ? 2 : ?b?;", "return ? 1 : 2;", "my $x = .5;", "my $x = 1.5;",
	"my $x = 0x1f;",
	"=pod\n\n=cut\n", "my $x = 1;\n=pod\ntime\n=cut\n", "exit 1\r\n", "q{a};", "q #a\n;",
	"my $x = $y & 1;", "my $x = -e;", "my $x = - e 'a';",
	/* functions of its own */
	"sub time { 1 } exit time();", "sub f_x { 1 } f_x 1;", "f_x(1);", "sub AUTOLOAD { }",
	/* code that only Perl sees, or only Reprise */
	"exit 3 if $x;\n__END__: exec 'date';", "__END__ => 1; exec 'date';", "__END__\n",
	"print STDERR'x';'; exec 'date';#';", "my $x : exit(') if $y; exec 'date'; #');",
	"my ($x, $y) : exit(1);", "1 ? my $x : exit(1);", "$x = 1./ 1; exec 'date'; #/;",
	"{ 'a', 1 } / 1; exec 'date'; #/;", "{ exit 1; }", "shift < 5; exit 1 > 2;",
	"$x = 'STDIN'; exit <$x>;", "exec $x <shift.$y>;", "exec $x -1;", "exec $x ++;",
	"print STDERR $x -1;", "last $ARGV[0];", "next FOO;", "X: exit;", "$x :y;",
	"my $x = $ARGV[0] =~ 'A';", "my $x = $y !~ $z;", "my @x = split 'a', $y;",
	/* addresses, also of values that were freed */
	"exec 'echo', map { $x; {} } @ARGV;", "exec 'echo', sort {}, 'x';", "my @x = grep {} @y;",
	"exec 'echo', ($9or[0]);", "my $x = \"$x[$9or]\";", "my @y = sort { @x = (); 1 } @x;",
	"my @y = map { shift @x } @x;", "my @y = grep { $_ = 1 } @x;", "exec 'a', @x, (@x = ());",
	"exec 'a', @x, @x = ();", "my @y = my @z = @x;", "$#x = 0;", "$y and @x = ();",
	"push @_, 1;", "my $x = $_[0];", "my $x = \"@_\";", "my $x = \"$_[0]\";",
	"for (@x, 1) { @x = () }", "for (')', @x) { @x = () }", "for ($x[0], 1) { @x = () }",
	"for ($ENV{A}, 1) { delete $ENV{A} }", "for (my $i = 0; $i < @x; $i++) { }",
	"for (@_) { }", "for my $y (grep { $_ ne 'a' } @x) { shift @x; }",
	"foreach my $y ((@x)) { shift @x; }", "for my $y (@x[0, 1]) { shift @x; }",
	"my $x = \"$INC[0]\";", "my $x = $STDIN;", "$ARGVOUT = 1;",
	/* texts of a second review */
	"exec $! <shift . 'a'>;", "exec $x # c\n <shift . 'a'>;", "exec($x <shift . 'a'>);",
	"my @y = map pop(@x) . $_, @x;", "my @y = grep(pop(@x), @x);", "(@x, $x[0]) = (1, 2);",
	"($#x, $x[1]) = (0, 'a');", "$x[(delete $x[3], 3)] = 1;", "$x .= (delete $x[3], 'k');",
	"my @y = (shift @x, 1);", "exit if (shift @x, 1);", "exit 3 if @ARGV == $ARGV[0];",
	"exit $ARGV[0];", "my $x = $ARGV[$ARGV[0]];", "$! = $ARGV[0];", "warn($_) for 'a', @x;",
	"pop(@x) for (@x);", "$x =~ s!x!$!a!;", "my $x = 'a' .. 'zzzzzz';", "my $x = 1 ..2;",
	"if (1) { use strict; }", "exec $x ? 'a' : 'b';", "exec $x 'a';", "my $x = shift, 1;",
	"my ($x) : exit = 1;", "my $x = $y ? my $z : exit;", "last shift;", "print STDERR;",
	"print STDERR $x;", "print STDERR ('a');", "for my $x (@y, 1) { }", "for my $x ($y) { }",
	"while (my $x = pop @y) { }", "if (my $x = shift) { }", "@x = shift;", "my @x = `a`;",
	/* texts of a third review */
	"system ('true'), $ARGV[0] == 0;", "system ('true'), \"$x\" == 5 or die 'x';",
	"warn \"$?\";",
	"exec ('a'), 'b';", "die ('a') . 'b';",
	/* first lines */
	"#!/usr/bin/perl -w\nuse strict;\nexit;",
	"#!/bin/sh\nexec perl;", "#!/usr/bin/perl -T\nexit;", "#!/usr/bin/perl -w -s\nexit;",
	"#!/usr/bin/ruby\nexit;", "#!/usr/bin/env -S perl\nexit;", "#!/usr/bin/perlx\nexit;",
	/* without an end */
	"exec 'gcc", "if (1) {", "exec 'a')", "my @x = (1];", "exit \"", "$x =~ /a", "}", "$", "@",
	"$x =~ s/a", "$ENV{", "$ENV{'A", "\"$ENV{", "\"$x[", "\"${", "-", "sub", "use", "print",
	"q(",
	"tr/a", "$#", "\\", "m", "s", "\"\\", "my $x = \"$",
};

Test(perl_text, refuses)
{
	EACH(refused) {
		int letters;

		cr_expect_not_null(read_text(refused[i], &letters), "%s", refused[i]);
	}
}

/* A choice in each alternative of the one before, and in each condition's parentheses. */
Test(perl_text, depth)
{
	static char chain[200000] = "my @x = ", nested[4096] = "exit 1 if ";
	struct perl_found found = {note, NULL, 0};
	static char whole[200100];
	int letters;

	for (char *p = chain + strlen(chain); p < chain + sizeof chain - 100; p += 9)
		memcpy(p, "$x ? 'a':", 10);
	snprintf(whole, sizeof whole, "use strict;\n%s'b';", chain);
	cr_expect_null(perl_text(whole, &found));
	memset(nested + strlen(nested), '(', 1000);
	cr_expect_not_null(read_text(nested, &letters));
}

Test(perl_text, wants_strict_first)
{
	static const char *const texts[] = {
		"exec 'gcc', @ARGV;", "#!/usr/bin/perl -w\n$aa = 1; $bb = 1;",
		"$aa = 1;\nuse strict;\n", "if (1) { use strict; }\nexit 1;", "exit;\nuse strict;",
		"use warnings;\n$aa = 1; $bb = 1;", "print STDERR 'a';", "-e 'a';",
	};

	EACH(texts) {
		struct perl_found found = {note, NULL, 0};

		cr_expect_not_null(perl_text(texts[i], &found), "%s", texts[i]);
	}
}
