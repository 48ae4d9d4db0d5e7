/* tests/unit/test_python_start.c - interpreters of Python, their variables and their files. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/python_start.h"

Test(python_start, interpreters)
{
	static const char *const yes[] = {"python3.9", "python3.11", "python3.13"};
	static const char *const no[] = {"python", "python3", "python2.7", "python3.8",
	                                 "python3.14", "python3.",
	                                 "python3.11d", "python3.111", "pypy3.10"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(python_interpreter(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(python_interpreter(no[i]), "%s", no[i]);
}

Test(python_start, variables)
{
	char *const plain[] = {"PYTHON=python3", "HOME=/h", "PYTHONPATH=/x", "PYTHONX=", NULL};
	char *const homeless[] = {"A=b", NULL};
	char *const warns[] = {"HOME=/h", "PYTHONWARNINGS=default", NULL};
	char *const unknown[] = {"HOME=/h", "PYTHON_NEWER=1", NULL};

	cr_expect_null(python_variable(plain));
	cr_expect_not_null(python_variable(homeless));
	cr_expect_str_eq(python_variable(warns), "PYTHONWARNINGS=default");
	cr_expect_not_null(python_variable(unknown));
}

Test(python_start, files)
{
	static const char exe[] = "/usr/bin/python3.11";
	static const struct { const char *path; enum python_file kind; } rows[] = {
		{"/usr/lib/python3.11/os.py", PYTHON_FILE_LIBRARY},
		{"/usr/lib64/python3.11/json/__pycache__/x.cpython-311.pyc", PYTHON_FILE_LIBRARY},
		{"/usr/lib/python3.11/lib-dynload/_json.cpython-311.so", PYTHON_FILE_LIBRARY},
		{"/usr/lib/python3.11/sitecustomize.py", PYTHON_FILE_SITE},
		{"/usr/lib/python3.11/__pycache__/sitecustomize.cpython-311.pyc", PYTHON_FILE_SITE},
		{"/usr/lib/python3.11/site-packages/x.py", PYTHON_FILE_SOURCE},
		{"/usr/lib/python3.11/../x.py", PYTHON_FILE_SOURCE},
		{"/usr/lib/python3.1/os.py", PYTHON_FILE_SOURCE},
		{"/usr/lib/python3.111/os.py", PYTHON_FILE_SOURCE},
		{"/usr/local/lib/python3.11/os.py", PYTHON_FILE_SOURCE},
		{"/home/lib/python3.11/os.py", PYTHON_FILE_SOURCE},
		{"/usr/lib/python3/dist-packages/a.pth", PYTHON_FILE_PATHS},
		{"/usr/lib/python3.11/a.pth", PYTHON_FILE_PATHS},
		{"/v/_distutils_hack/__init__.py", PYTHON_FILE_HACK},
		{"/v/_distutils_hack/__pycache__/__init__.cpython-311.pyc", PYTHON_FILE_HACK},
		{"/v/_distutils_hack/override.py", PYTHON_FILE_SOURCE},
		{"/w/__pycache__/mine.cpython-311.pyc", PYTHON_FILE_COMPILED},
		{"/w/sitecustomize.py", PYTHON_FILE_SOURCE},
		{"/w/mine.cpython-311-x86_64-linux-gnu.so", PYTHON_FILE_OBJECT},
		{"/w/mine.so", PYTHON_FILE_OBJECT},
		{"/lib/x86_64-linux-gnu/libz.so", PYTHON_FILE_DATA},
		{"/w/pyvenv.cfg", PYTHON_FILE_DATA}, {"/w/x.zip", PYTHON_FILE_DATA},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(python_file(exe, rows[i].path), rows[i].kind, "%s", rows[i].path);
}

Test(python_start, sources)
{
	char out[64];

	cr_expect_eq(python_source("/w/__pycache__/x.cpython-311.opt-1.pyc", out, sizeof out), 0);
	cr_expect_str_eq(out, "/w/x.py");
	cr_expect_eq(python_source("/w/x.py", out, sizeof out), 0);
	cr_expect_str_eq(out, "/w/x.py");
	cr_expect_eq(python_source("/w/x.py", out, 7), -1);
	cr_expect_eq(python_source("/w/x.py", out, 8), 0);
}

Test(python_start, path_files)
{
	static const char *const plain[] = {
		"", "# import x\n/usr/lib/x\n\nimportant\n", " import x\n",
		"import os; var = 'SETUPTOOLS_USE_DISTUTILS'; "
		"enabled = os.environ.get(var, 'local') == 'local'; "
		"enabled and __import__('_distutils_hack').add_shim(); \n/x\n",
	};
	static const char *const runs[] = {
		"import x\n", "/x\nimport\tx", "x\rimport y\n", "x\fimport y",
		"x\xc2\x85import y", "\xef\xbb\xbfimport x",
		"import os; var = 'SETUPTOOLS_USE_DISTUTILS'; "
		"enabled = os.environ.get(var, 'local') == 'local'; "
		"enabled and __import__('_distutils_hack').add_shim(); import x\n",
		"import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, '"
	};
	size_t n;

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		cr_expect_null(python_paths_run(plain[i], &n), "%s", plain[i]);
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		cr_expect_not_null(python_paths_run(runs[i], &n), "%s", runs[i]);
}

Test(python_start, site)
{
	static const char debian[] = "# install the apport exception handler if available\ntry:\n"
		"    import apport_python_hook\nexcept ImportError:\n    pass\nelse:\n"
		"    apport_python_hook.install()\n";

	cr_expect(python_site_known(debian, sizeof debian - 1));
	cr_expect_not(python_site_known(debian, sizeof debian - 2));
	cr_expect(python_site_known("", 0));
	cr_expect_not(python_site_known("import os", 9));
	cr_expect(python_archive("xPK\005\006y", 6));
	cr_expect_not(python_archive("xPK\003\004y", 6));
}
