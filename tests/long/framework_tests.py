#!/usr/bin/env python3
"""Test modules of a framework under pytest, with one line a test, to compare runs.

    framework_tests.py run RESULTS TOP [pytest's options and modules]
    framework_tests.py compare MINIMUM PLAIN OTHER...

run: modules as in TOP, the directory of their conftest.py. RESULTS gets `<outcome> <test id> <why,
if it did not pass>`, sorted. The status is 0 if pytest came to its end, also if tests failed.
compare: the sets of outcome and test id must be equal. At least MINIMUM tests must have passed
plain. Prints the counts, and the tests that fail plain. Differences go to stderr, status 1.
"""
import os
import re
import sys


class Outcomes:
    """The worst outcome of a test's phases."""
    ORDER = ('passed', 'skipped', 'xfailed', 'xpassed', 'failed', 'error')

    def __init__(self):
        self.of = {}

    def note(self, test, outcome, why=''):
        known = self.of.get(test)
        if known is None or self.ORDER.index(outcome) > self.ORDER.index(known[0]):
            self.of[test] = (outcome, why)

    def pytest_runtest_logreport(self, report):
        expected = hasattr(report, 'wasxfail')
        if report.passed:
            if report.when == 'call':
                self.note(report.nodeid, 'xpassed' if expected else 'passed')
        elif report.skipped:
            self.note(report.nodeid, 'xfailed' if expected else 'skipped', self.skip_reason(report))
        else:
            self.note(report.nodeid, 'failed' if report.when == 'call' else 'error',
                      self.last_line(report))

    def pytest_collectreport(self, report):
        if report.failed:
            self.note(report.nodeid, 'error', self.last_line(report))
        elif report.skipped:
            self.note(report.nodeid, 'skipped', self.skip_reason(report))

    @staticmethod
    def skip_reason(report):
        return report.longrepr[2] if isinstance(report.longrepr, tuple) else ''

    @staticmethod
    def last_line(report):
        crash = getattr(report.longrepr, 'reprcrash', None)
        text = (crash.message.splitlines() if crash
                else report.longreprtext.strip().splitlines()[-1:])
        return re.sub(r'^E\s+', '', text[0]) if text else ''

    def write(self, path):
        with open(path, 'w') as f:
            for test in sorted(self.of):
                outcome, why = self.of[test]
                # The parameters in a test's name may hold any character.
                f.write(f'{outcome} {ascii(test)[1:-1].replace(" ", "_")} '
                        f'{ascii(why)[1:-1][:120]}\n')


def run(results, top, options):
    import pytest
    os.chdir(top)
    outcomes = Outcomes()
    # The content of a module must not depend on directories above it, and must leave nothing there.
    status = pytest.main(['-p', 'no:cacheprovider', '-q', '--tb=short',
                          '--continue-on-collection-errors', '--rootdir=' + top,
                          *options], plugins=[outcomes])
    outcomes.write(results)
    # 0: all passed. 1: some failed. 2: some modules cannot be imported, in the plain run, too.
    return 0 if status in (0, 1, 2) and outcomes.of else int(status) or 1


def read(path):
    with open(path) as f:
        rows = [(line.rstrip('\n') + '  ').split(' ', 2) for line in f]
    return {test: (outcome, why.strip()) for outcome, test, why in rows}


def compare(minimum, plain_path, others):
    plain = read(plain_path)
    count = {}
    for outcome, _ in plain.values():
        count[outcome] = count.get(outcome, 0) + 1
    print(', '.join(f'{count[o]} {o}' for o in Outcomes.ORDER if o in count) + ' plain')
    for test, (outcome, why) in plain.items():
        if outcome in ('failed', 'error'):
            print(f'{outcome} plain: {test}: {why}')
    bad = 0
    for path in others:
        other = read(path)
        for test in sorted(plain.keys() | other.keys()):
            was, now = plain.get(test, ('not run', '')), other.get(test, ('not run', ''))
            if was[0] != now[0]:
                bad = 1
                print(f'{os.path.basename(path)}: {test}: {was[0]} plain, {now[0]} here: '
                      f'{now[1] or was[1]}', file=sys.stderr)
    if count.get('passed', 0) < minimum:
        bad = 1
        print(f'{count.get("passed", 0)} tests passed plain, {minimum} at least were expected',
              file=sys.stderr)
    return bad


if __name__ == '__main__':
    if sys.argv[1] == 'run':
        sys.exit(run(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), sys.argv[4:]))
    sys.exit(compare(int(sys.argv[2]), sys.argv[3], sys.argv[4:]))
