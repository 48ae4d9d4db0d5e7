# The frame of suites about cache directories of frameworks: `load units_suite` before the cases. A
# suite with more to do defines the function anew.

setup_file() {
	load units_lib
	units_setup_file
}
setup() {
	load units_lib
	units_setup
}
teardown() { remote_teardown; }
teardown_file() {
	load lib
	load job_python
	graphs_end
}
