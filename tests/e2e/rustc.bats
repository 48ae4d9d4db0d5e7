#!/usr/bin/env bats
# Rust: rustc called directly, procedural macros, and builds by cargo.

setup() {
	load lib
	case_setup
	# A proxy of another installation may come first.
	PATH=/usr/bin:$PATH
	need rustc
	put a.rs 'pub fn add(a: i32, b: i32) -> i32 { a + b }' \
		'pub fn first(x: Option<i32>) -> i32 { x.unwrap() }'
	put m.rs 'mod sub;' 'fn main() { println!("{} {}", sub::two(), file!()); }'
	put sub.rs 'pub fn two() -> i32 { 2 }'
	put pm.rs 'extern crate proc_macro;' 'use proc_macro::TokenStream;' \
		'#[proc_macro] pub fn plain(_: TokenStream) -> TokenStream {' \
		'  "fn f() -> u32 { 1 }".parse().unwrap() }' \
		'#[proc_macro] pub fn file(_: TokenStream) -> TokenStream {' \
		'  format!("fn f() -> u32 {{ {} }}", std::fs::read("data").unwrap().len())' \
		'    .parse().unwrap() }' \
		'#[proc_macro] pub fn vars(_: TokenStream) -> TokenStream {' \
		'  let n = std::env::vars().filter(|v| v.0.starts_with("RS_")).count();' \
		'  format!("fn f() -> u32 {{ {} }}", n).parse().unwrap() }' \
		'#[proc_macro] pub fn now(_: TokenStream) -> TokenStream {' \
		'  std::time::SystemTime::now(); "fn f() -> u32 { 1 }".parse().unwrap() }' \
		'#[proc_macro] pub fn order(_: TokenStream) -> TokenStream {' \
		'  let mut m = std::collections::HashMap::new();' \
		'  for i in 0..9 { m.insert(i, i); }' \
		'  let k: Vec<String> = m.keys().map(|k| k.to_string()).collect();' \
		'  format!("pub static F: &str = \"{}\"; fn f() -> u32 {{ 1 }}", k.join(","))' \
		'    .parse().unwrap() }' \
		'#[proc_macro] pub fn device(_: TokenStream) -> TokenStream {' \
		'  let mut b = [0u8; 4];' \
		'  std::io::Read::read(&mut std::fs::File::open("/dev/urandom").unwrap(), &mut b)' \
		'    .unwrap();' \
		'  format!("fn f() -> u32 {{ {} }}", u32::from_ne_bytes(b)).parse().unwrap() }' \
		'extern "C" { fn getrandom(to: *mut u8, n: usize, flags: u32) -> isize; }' \
		'#[proc_macro] pub fn bytes(_: TokenStream) -> TokenStream {' \
		'  let mut b = [0u8; 4];' \
		'  unsafe { getrandom(b.as_mut_ptr(), 4, 0); }' \
		'  format!("fn f() -> u32 {{ {} }}", u32::from_ne_bytes(b)).parse().unwrap() }'
}
teardown() { case_teardown; }

# Crates of their own, which use a macro of pm.
user_of() { put u.rs "use pm::$1;" "$1!();" 'pub fn g() -> u32 { f() }'; }

# bats test_tags=check
@test "rustc: libraries, metadata, objects, assembly" {
	differential --makes liba.rlib -- rustc --crate-type lib a.rs
	differential --makes liba.rmeta -- rustc --crate-type lib --emit=metadata a.rs
	differential --makes a.o -- rustc --crate-type lib --emit=obj -O a.rs
	differential --makes "a.s a.ll" -- rustc --crate-type lib --emit asm,llvm-ir -g a.rs
	mkdir d
	differential --makes d/liba-12.rlib -- rustc --crate-type lib --crate-name a \
		-C extra-filename=-12 -C metadata=12 --out-dir d a.rs
	differential --makes x.o -- rustc --crate-type=lib --emit=obj=x.o -Copt-level=3 a.rs
}

# bats test_tags=long
@test "rustc: programs, and libraries for C" {
	differential --makes m -- rustc m.rs
	differential --makes liba.so -- rustc --crate-type cdylib a.rs
	differential --makes liba.a -- rustc --crate-type staticlib -C panic=abort -o liba.a a.rs
	differential --makes t -- rustc --test a.rs -o t
}

@test "rustc: a source or a module that changes" {
	differential --makes "libm.rmeta m.d" -- rustc --emit=metadata,dep-info m.rs
	put sub.rs 'pub fn two() -> i32 { 3 }'
	again miss:input
	put m.rs 'mod sub;' 'fn main() { println!("{}", sub::two()); }'
	again miss
}

# bats test_tags=check
@test "rustc: a module that appears elsewhere" {
	differential --makes libm.rmeta -- rustc --emit=metadata m.rs
	mkdir sub
	put sub/mod.rs 'pub fn two() -> i32 { 4 }'
	differential --status 1 --cold unstored -- rustc --emit=metadata m.rs
}

# bats test_tags=check
@test "rustc: variables of env!() and option_env!()" {
	put e.rs 'pub const A: &str = env!("RS_A");' \
		'pub const B: Option<&str> = option_env!("RS_B");'
	export RS_A=1
	differential --makes "libe.rmeta e.d" -- \
		rustc --crate-type lib --emit=metadata,dep-info e.rs
	RS_A=2
	again miss:input
	export RS_B=1
	again miss:input
	unset RS_A
	differential --status 1 --cold unstored -- \
		rustc --crate-type lib --emit=metadata,dep-info e.rs
}

# bats test_tags=long
@test "rustc: another directory is another action" {
	differential --makes liba.rlib -- rustc --crate-type lib a.rs
	mkdir d
	cp a.rs d
	differential --cd d --cold miss -- rustc --crate-type lib a.rs
}

# bats test_tags=long
@test "rustc: dependency information" {
	differential --makes "m.d libm.rmeta" -- rustc --emit=dep-info,metadata m.rs
	differential --makes deps/x.dep -- sh -c 'mkdir deps; rustc --emit=dep-info=deps/x.dep m.rs'
}

# bats test_tags=check
@test "rustc: crates that are found in a directory" {
	mkdir deps
	rustc --crate-type lib a.rs --out-dir deps -C extra-filename=-1
	put u.rs 'extern crate a;' 'pub fn u() -> i32 { a::add(1, 2) }'
	differential --makes libu.rlib -- rustc --crate-type lib -L deps u.rs
	: >deps/other.rlib
	again hit
	# The name of crate ab begins like that of crate a, so rustc opens its file.
	put b.rs 'pub fn b() {}'
	rustc --crate-type lib b.rs --crate-name ab --out-dir deps
	again miss:input
	rustc --crate-type lib a.rs --out-dir deps -C extra-filename=-2 -C metadata=2
	differential --status 1 --cold unstored -- rustc --crate-type lib -L deps u.rs
}

# bats test_tags=long
@test "rustc: a crate of a crate, and one that is named" {
	mkdir deps
	rustc --crate-type lib a.rs --out-dir deps -C extra-filename=-1
	put u.rs 'pub fn u() -> i32 { a::add(1, 2) }'
	differential --makes deps/libu-2.rlib -- \
		rustc --edition 2021 --crate-type lib -C extra-filename=-2 --out-dir deps \
		-L dependency=deps --extern a=deps/liba-1.rlib u.rs
	rustc --edition 2021 --crate-type lib -C extra-filename=-2 --out-dir deps \
		--extern a=deps/liba-1.rlib u.rs
	put v.rs 'fn main() { println!("{}", u::u()); }'
	differential --fresh --makes deps/v -- rustc --edition 2021 --out-dir deps \
		-L dependency=deps --extern u=deps/libu-2.rlib v.rs
	put a.rs 'pub fn add(a: i32, _: i32) -> i32 { a }'
	rustc --crate-type lib a.rs --out-dir deps -C extra-filename=-1
	rustc --edition 2021 --crate-type lib -C extra-filename=-2 --out-dir deps \
		--extern a=deps/liba-1.rlib u.rs
	again miss
}

# bats test_tags=check
@test "rustc: procedural macros" {
	differential --makes libpm.so -- rustc --crate-type proc-macro -C prefer-dynamic pm.rs
	rustc --crate-type proc-macro -C prefer-dynamic pm.rs
	user_of plain
	differential --makes libu.rlib -- \
		rustc --edition 2021 --crate-type lib --extern pm=libpm.so u.rs
	put x.txt # no input
	again hit
	differential --makes libu.rlib -- \
		rustc --edition 2021 --crate-type lib --extern pm -L . u.rs
}

# bats test_tags=long
@test "rustc: files, variables and the time in a macro" {
	rustc --crate-type proc-macro -C prefer-dynamic pm.rs
	put data abc
	user_of file
	differential --makes libu.rlib -- \
		rustc --edition 2021 --crate-type lib --extern pm=libpm.so u.rs
	put data abcd
	again miss:input
	user_of vars
	differential --makes libu.rlib -- \
		rustc --edition 2021 --crate-type lib --extern pm=libpm.so u.rs
	export RS_X=1
	again miss:input
	user_of now
	differential --cold unstored:time -- \
		rustc --edition 2021 --crate-type lib --extern pm=libpm.so u.rs
}

# bats test_tags=check
@test "rustc: random numbers in a macro" {
	rustc --crate-type proc-macro -C prefer-dynamic pm.rs
	for m in order device bytes; do
		user_of $m
		under rustc --edition 2021 --crate-type lib --extern pm=libpm.so u.rs
		under rustc --edition 2021 --crate-type lib --extern pm=libpm.so u.rs
		[ "$(stat_of hits_local)" = 0 ] || fail "$m: a hit"
	done
	[ "$(stat_of reason_random)" = 6 ] || fail "$(stat_of reason_random) of 6 noticed"
	# A macro that is known to use hash tables, alone, and beside a macro that is not.
	rustc --crate-type proc-macro -C prefer-dynamic --crate-name serde_derive \
		-C extra-filename=-12 pm.rs
	user_of order
	sed -i 's/pm::/serde_derive::/' u.rs
	cmd=(rustc --edition 2021 --crate-type lib --extern serde_derive=libserde_derive-12.so u.rs)
	under "${cmd[@]}"
	cp libu.rlib first
	under "${cmd[@]}"
	cmp first libu.rlib
	[ "$(stat_of hits_local)" = 1 ]
	# With rustc 1.63 both share the random numbers for their tables, and only one of them
	# draws.
	put u.rs 'mod a { serde_derive::order!(); }' 'mod b { pm::order!(); }'
	cmd+=(--extern pm=libpm.so)
	under "${cmd[@]}"
	under "${cmd[@]}"
	[ "$(stat_of hits_local)" = 1 ]
	[ "$(stat_of reason_random)" = 8 ]
}

# bats test_tags=long
@test "rustc: messages, and an error" {
	put w.rs 'pub fn f() { let x = 1; }'
	differential --makes libw.rmeta -- rustc --crate-type lib --emit=metadata w.rs
	differential --makes libw.rmeta -- rustc --crate-type lib --emit=metadata \
		--error-format=json --json=diagnostic-rendered-ansi,artifacts w.rs
	differential --makes libw.rmeta -- \
		sh -c 'rustc --crate-type lib --crate-name w --emit=metadata - <w.rs'
	differential -- rustc -vV
	put e.rs 'fn main() { nothing(); }'
	differential --status 1 --cold unstored -- rustc e.rs
}

# bats test_tags=check
@test "rustc: commands that run for real" {
	under rustc --crate-type lib -C incremental=inc --emit=metadata a.rs
	[ "$(stat_of reason_arguments)" = 1 ]
	rm -r inc liba.rmeta
	differential --cold bypass:arguments -- \
		rustc --crate-type lib --emit=metadata -C llvm_args=-help-hidden a.rs
	put args.txt --emit=metadata --crate-type=lib
	differential --cold bypass:arguments -- rustc @args.txt a.rs
	differential --status any --cold bypass:arguments -- \
		rustc --crate-type lib --emit=metadata -Zunstable a.rs
	differential --status any --cold bypass:arguments -- \
		rustc --crate-type lib --emit=metadata --unheard a.rs
}

workspace() {
	need cargo
	mkdir -p app/src util/src
	put Cargo.toml '[workspace]' 'members = ["app", "util"]'
	put app/Cargo.toml '[package]' 'name = "app"' 'version = "0.1.0"' 'edition = "2021"' \
		'[dependencies]' 'util = { path = "../util" }'
	put util/Cargo.toml '[package]' 'name = "util"' 'version = "0.1.0"' 'edition = "2021"'
	put util/src/lib.rs 'pub fn u(x: i32) -> i32 { x + 1 }'
	put app/src/main.rs \
		'fn main() { println!("{} {}", util::u(3), env!("CARGO_PKG_VERSION")); }'
}

# bats test_tags=check
@test "rustc: a build by cargo" {
	workspace
	export CARGO_INCREMENTAL=0
	under cargo build -q --offline
	cp target/debug/app "$ROOT/app"
	cp target/debug/libutil.rlib "$ROOT/lib"
	rm -rf target
	under cargo build -q --offline
	cmp target/debug/app "$ROOT/app"
	cmp target/debug/libutil.rlib "$ROOT/lib"
	# The hits are both crates, and rustc -vV.
	[ "$(stat_of hits_local)" -ge 5 ]
	[ "$(stat_of reason_output)" = 0 ]
	rm -rf target
	cargo build -q --offline
	cmp target/debug/app "$ROOT/app"
	# An edit, and back.
	put util/src/lib.rs 'pub fn u(x: i32) -> i32 { x + 2 }'
	under cargo build -q --offline
	[ "$(target/debug/app)" = "5 0.1.0" ]
	put util/src/lib.rs 'pub fn u(x: i32) -> i32 { x + 1 }'
	under cargo build -q --offline
	[ "$(target/debug/app)" = "4 0.1.0" ]
	cmp target/debug/app "$ROOT/app"
}
