#!/usr/bin/env python3
"""What tools/text/ptx.c claims about ptxas, checked on a corpus of Triton kernels.
Needs triton, no GPU.

    ptx_corpus.py [--renames N] [--only REGEX]
    ptx_corpus.py --texts DIRECTORY [--renames N]

Triton compiles each kernel of ptx_kernels.py from two directories whose names have equal lengths
(directory, file and helper file differ). Then this holds for that pair and for N texts with random
names, with every ptxas at hand:
  - The keys are equal. The first cubin patched is the other's real cubin, byte for byte. Source
    files are there, with other times and sizes, or are not (up to 13.0 ptxas puts both into the
    line table).
  - A text whose directory is one byte longer has another key.
  - A kernel with a device_assert (its path is data) keeps its own directory and file in the key.
With --texts the kernels are PTX files of another run (bench/gpu.py --keep-ptx). As on ranks of a
host, they differ in their cache directory: N texts with another root of Inductor's directory and
present source files, and N with random names.
Prints counts; the status is 0 if all held.
"""
import argparse
import glob
import importlib.util
import os
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
import ptx_kernels  # noqa: E402

# Data in the text of the PTX: no key may be shared.
LITERAL = {'asserted'}
# Files of the triton package that kernels of the corpus use.
LIBRARIES = {'standard.py', 'math.py', 'random.py', 'core.py', 'libdevice.py'}
# Other targets for a few kernels; the rest is sm_90a.
MORE_TARGETS = {'add': (80, 86, 100, 120), 'softmax': (80, 100), 'dot_half': (80, 100, 120),
                'helper_total': (120,)}
ALPHABET = string.ascii_letters + string.digits + '_-.+=@~,'


def build_helper(out):
    # Built by the Makefile, which knows what tools/ is linked with.
    subprocess.run(['make', '-s', '-C', TREE, 'build/long/ptx_patch'], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.copy(os.path.join(TREE, 'build/long/ptx_patch'), out)


def compile_kernel(name, directory, tag, capability):
    """The PTX of one kernel whose source lies in this directory."""
    import triton
    from triton.backends.compiler import GPUTarget
    # A cache of its own: Triton's key holds no path, so the second directory would get the first's
    # PTX.
    os.environ['TRITON_CACHE_DIR'] = os.path.join(directory, 'cache')
    arguments, constants, options, body = ptx_kernels.KERNELS[name]
    os.makedirs(os.path.join(directory, 'sub'), exist_ok=True)
    helper = 'helper_' + tag
    with open(os.path.join(directory, 'sub', helper + '.py'), 'w') as f:
        f.write(ptx_kernels.HELPER)
    path = os.path.join(directory, f'{name}_{tag}.py')
    with open(path, 'w') as f:
        parameters = ', '.join(list(arguments) + [c + ': tl.constexpr' for c in constants])
        f.write(ptx_kernels.HEAD.format(helper=helper) + f'@triton.jit\ndef kernel({parameters}):' +
                body)
    spec = importlib.util.spec_from_file_location(f'{name}_{tag}', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    signature = dict(arguments, **{c: 'constexpr' for c in constants})
    constexprs = {(list(signature).index(c),): v for c, v in constants.items()}
    source = triton.compiler.ASTSource(fn=module.kernel, signature=signature, constexprs=constexprs)
    done = triton.compile(source, target=GPUTarget('cuda', capability, 32), options=dict(options))
    arch = re.search(r'^\.target (\S+)$', done.asm['ptx'], re.M).group(1)
    return done.asm['ptx'], arch


def split_path(path):
    at = path.rfind('/')
    return path[:at], path[at + 1:]


def names_of(ptx):
    names = []
    for path in re.findall(r'^\t\.file\t\d+ "([^"]*)"', ptx, re.M):
        for name in split_path(path):
            if name not in names:
                names.append(name)
    return names


def rename(ptx, to):
    """The text under other names, as the back-end would have printed it. `to` maps names."""
    out, section, pending = [], False, []

    def flush():
        data = bytes(int(l.split()[1]) for l in pending)
        i = 0
        while i < len(data):
            hit = next((n for n in sorted(to, key=len, reverse=True)
                        if data.startswith(n.encode() + b'\0', i)), None)
            new = to[hit].encode() if hit else data[i:i + 1]
            for k, value in enumerate(new):
                line = pending[i + k]
                head, slashes, comment = line.partition('//')
                head = f'.b8 {value}'
                out.append(head.ljust(40) + slashes + comment if slashes else head)
            i += len(new)
        pending.clear()

    for line in ptx.split('\n'):
        if line.startswith('\t.section'):
            section = True
        if section and re.match(r'\.b8 \d+($| )', line):
            pending.append(line)
            continue
        flush()
        m = re.match(r'(\t\.file\t\d+ ")([^"]*)(".*)', line)
        if m:
            directory, base = split_path(m.group(2))
            line = m.group(1) + to[directory] + '/' + to[base] + m.group(3)
        elif line.startswith('\t.loc'):
            line = re.sub(r'([^ ]+?)(:\d+(?::\d+)?)(?= |$)',
                          lambda w: to.get(w.group(1), w.group(1)) + w.group(2), line)
        out.append(line)
    flush()
    return '\n'.join(out)


def random_name(name, rng, keep=0):
    """A name of equal length; slashes and the first `keep` characters stay."""
    return name[:keep] + ''.join(c if c == '/' else rng.choice(ALPHABET) for c in name[keep:])


def random_names(ptx, rng, keep):
    """A random name for each name; `keep` gives the number of characters that stay, None for
    all."""
    to = {}
    for name in names_of(ptx):
        new = name
        while keep(name) is not None and (new == name or new in to.values()):
            new = random_name(name, rng, keep(name))
        to[name] = new
    return to


def make_sources(ptx, root, rng):
    """The files that the text names below root, with random times. Their sizes have two ULEB128
    bytes."""
    for path in re.findall(r'^\t\.file\t\d+ "([^"]*)"', ptx, re.M):
        if path.startswith(root):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w') as f:
                f.truncate(rng.randrange(128, 16384))
            os.utime(path, (rng.randrange(1 << 28, 1 << 32),) * 2)


class Checker:
    def __init__(self, work, tools):
        self.work, self.tools, self.helper = work, tools, os.path.join(work, 'ptx_patch')
        build_helper(self.helper)
        self.count = {'kernels': 0, 'literal': 0, 'longer': 0, 'pairs': 0}
        self.failures = []
        self.asking = {}

    def write(self, name, data):
        path = os.path.join(self.work, name)
        with open(path, 'wb') as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return path

    def assemble(self, tool, arch, text):
        path = self.write('in.ptx', text)
        out = path + '.o'
        extra = ['--regAllocOptLevel=2'] if tool.endswith('blackwell') else []
        done = subprocess.run([tool, '-lineinfo', '-v', *extra, '--gpu-name=' + arch, path, '-o',
                               out],
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f'{tool}: {done.stderr[:400]}')
        with open(out, 'rb') as f:
            return f.read(), re.sub(r'Compile time = .*', '', done.stderr)

    def key_status(self, a, b):
        return subprocess.run([self.helper, self.write('a.ptx', a), '/dev/null',
                               self.write('b.ptx', b), '/dev/null'],
                              capture_output=True).returncode

    def pair(self, what, tool, arch, a, b, cubin_a):
        """Compares b's real cubin with a's cubin patched."""
        what = f'{what}: {os.path.basename(tool)}'
        self.count['pairs'] += 1
        real, said = self.assemble(tool, arch, b)
        out = os.path.join(self.work, 'out.cubin')
        done = subprocess.run([self.helper, self.write('a.ptx', a),
                               self.write('a.cubin', cubin_a[0]),
                               self.write('b.ptx', b), out], capture_output=True, text=True)
        if done.returncode:
            self.failures.append(f'{what}: helper status {done.returncode}')
            return
        names, patches, sources, entries = map(int, done.stdout.split())
        for key, value in ('names', names), ('patches', patches), ('sources', sources), ('entries',
            entries):
            self.count[key] = self.count.get(key, 0) + value
        with open(out, 'rb') as f:
            if f.read() != real:
                self.failures.append(f'{what}: patched cubin is not the real one')
        if real == cubin_a[0] and a != b:
            self.failures.append(f'{what}: cubins equal, nothing was tested')
        if said != cubin_a[1]:
            self.failures.append(f'{what}: other words on stderr')
        if entries != sources and self.asks(tool):
            self.failures.append(f'{what}: {entries} of {sources} line-table entries found')

    def asks(self, tool):
        """Whether this ptxas puts times into the line table."""
        if tool not in self.asking:
            text = ('.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n'
                    '.loc 1 1 1\nret;\n}\n')
            source = self.write('asked_source.py', 'x' * 300)
            with_file = self.assemble(tool, 'sm_80', text + f'.file 1 "{source}"\n')[0]
            self.asking[tool] = b'asked_source.py\0\1\0\0' not in with_file
        return self.asking[tool]

    def texts(self, what, tool, arch, texts):
        """Patches the first text's cubin for each of the others."""
        if not tool.endswith('blackwell'):
            # CUDA 12.9's takes PTX up to 8.8
            texts = [re.sub(r'^\.version .*$', '.version 8.7', t, flags=re.M) for t in texts]
        try:
            cubin = self.assemble(tool, arch, texts[0])
        except RuntimeError:
            if tool.endswith('blackwell'):
                raise
            key = 'refused by ' + os.path.basename(tool)
            self.count[key] = self.count.get(key, 0) + 1
            return
        for text in texts[1:]:
            self.pair(what, tool, arch, texts[0], text, cubin)

    def kernel(self, name, capability, renames, rng):
        what = f'{name} sm_{capability}'
        places = [tempfile.mkdtemp(prefix='kernels-', dir=self.work) for _ in range(2)]
        (a, arch), (b, _) = [compile_kernel(name, d, t, capability)
                             for d, t in zip(places, ('alpha', 'omega'))]
        self.count['kernels'] += 1
        if a == b:
            self.failures.append(f'{what}: two directories, one text: nothing was tested')
        if name in LITERAL:
            self.count['literal'] += 1
            if self.key_status(a, b) != 1:
                self.failures.append(f'{what}: shares a key though its path is data')
            return
        longer = {n: n for n in names_of(a)}
        longer[places[0]] = places[0] + 'x'
        if self.key_status(a, rename(a, longer)) != 1:
            self.failures.append(f'{what}: a longer directory shares the key')
        self.count['longer'] += 1
        if rename(a, {n: n for n in names_of(a)}) != a:
            self.failures.append(f'{what}: the renamer of this script changes more than names')
        present = [a, b]
        for _ in range(renames):
            # Below the working directory all paths may change. Libraries stay at their paths.
            present.append(rename(a, random_names(a, rng, lambda n: (
                len(self.work) + 1 if n.startswith(self.work + '/') else None
                if n.startswith('/') or
                n + '.py' in LIBRARIES or n in LIBRARIES else 0))))
            make_sources(present[-1], self.work, rng)
        make_sources(b, self.work, rng)
        make_sources(a, self.work, rng)
        absent = [rename(a, random_names(a, rng, lambda n: 0)) for _ in range(renames)]
        for tool in self.tools:
            if capability < 100 or tool.endswith('blackwell'):
                self.texts(what, tool, arch, present)
                self.texts(what + ' absent', tool, arch, absent)
        for d in places:
            shutil.rmtree(d)

    def foreign(self, what, ptx, renames, rng):
        """Tests a text from another machine under the directories of other ranks."""
        arch = re.search(r'^\.target (\S+?),?(?: .*)?$', ptx, re.M).group(1)
        self.count['kernels'] += 1
        own = [n for n in names_of(ptx) if n.startswith('/tmp/')]
        if not own:
            raise RuntimeError('names no file below /tmp')
        if 'assertFile' in ptx:
            self.count['literal'] += 1
            if self.key_status(ptx, rename(ptx, random_names(ptx, rng, lambda n: 0))) != 1:
                self.failures.append(f'{what}: shares a key though its path is data')
            return
        root = '/'.join(own[0].split('/')[:3])
        longer = {n: n + 'x' if n == own[0] else n for n in names_of(ptx)}
        if self.key_status(ptx, rename(ptx, longer)) != 1:
            self.failures.append(f'{what}: a longer directory shares the key')
        self.count['longer'] += 1
        ranks, made = [], []
        for _ in range(renames + 1):
            other = '/tmp/' + random_name(root[5:], rng)
            # Triton's own files must all exist, too.
            ranks.append(rename(ptx, {n: other + '/' + n[len(other) + 1:] if n.startswith('/')
                                      else n for n in names_of(ptx)}))
            make_sources(ranks[-1], other, rng)
            made.append(other)
        absent = [ptx] + [rename(ptx, random_names(ptx, rng, lambda n: 0)) for _ in range(renames)]
        for tool in self.tools:
            self.texts(what, tool, arch, ranks)
            self.texts(what + ' absent', tool, arch, absent)
        for d in made:
            shutil.rmtree(d)


def main():
    options = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    options.add_argument('--renames', type=int, default=4)
    options.add_argument('--only', default='.')
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--texts', metavar='DIRECTORY')
    options = options.parse_args()
    warnings.simplefilter('ignore')
    import triton
    rng = random.Random(options.seed)
    bin_dir = os.path.join(os.path.dirname(triton.__file__), 'backends', 'nvidia', 'bin')
    tools = [t for t in sorted(glob.glob('/usr/local/cuda-*/bin/ptxas'))] + [os.path.join(bin_dir,
        t) for t in ('ptxas', 'ptxas-blackwell') if os.path.exists(os.path.join(bin_dir, t))]
    with tempfile.TemporaryDirectory(prefix='ptx-corpus-') as work:
        checker = Checker(work, tools)
        def check(what, how, *arguments):
            try:
                how(*arguments)
            except Exception as e:  # a kernel that does not compile is a failure of the corpus
                checker.failures.append(f'{what}: {type(e).__name__}: {str(e)[:300]}')
        if options.texts:
            for path in sorted(glob.glob(os.path.join(options.texts, '*.ptx'))):
                with open(path) as f:
                    check(path, checker.foreign, os.path.basename(path), f.read(), options.renames,
                          rng)
        else:
            for name in ptx_kernels.KERNELS:
                if re.search(options.only, name):
                    for capability in (90,) + MORE_TARGETS.get(name, ()):
                        check(f'{name} sm_{capability}', checker.kernel, name, capability,
                              options.renames, rng)
    for failure in checker.failures:
        print('FAILED', failure)
    print('triton', triton.__version__, 'tools', len(tools), checker.count, 'failures',
          len(checker.failures))
    return 1 if checker.failures or not checker.count['pairs'] else 0


if __name__ == '__main__':
    sys.exit(main())
