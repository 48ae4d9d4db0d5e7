"""A client of the agent that does what no tool does: agent_client.py MODE SOCKET [ARG].

The layout is struct agent_question's and struct agent_reply's of store/agent.h."""
import resource
import socket
import struct
import subprocess
import sys
import time

MAGIC = 0x31415052
CANDIDATES, RESULT, DONE = 2, 3, 7
FILLED, ABSENT, SKIPPED, COMING = 1, 2, 3, 4


def question(verb, key=b"k" * 32, start=0, magic=MAGIC):
    head = struct.pack("<4I32s2Q3I129s3x", magic, verb, 1, 0, key, 0, 0, 0, start, 0, b"")
    return head + struct.pack("<i4xqQ24s", -1, 0, 0, b"")


def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(10)
    s.connect(sys.argv[2])
    return s


def answer(s):
    while True:
        said = struct.unpack("<II", s.recv(4096)[:8])[1]
        if said != COMING:
            return said


def nonsense():
    kept = []
    for i in range(200):
        for bytes_ in (b"x" * (i + 1), question(CANDIDATES, magic=i), question(i)[:i]):
            s = connect()
            s.send(bytes_ or b"y")
            kept.append(s)
        s = connect()
        try:
            for _ in range(40):
                s.send(question(CANDIDATES, bytes([i]) * 32), socket.MSG_DONTWAIT)
        except OSError:
            pass
        kept.append(s)
    for verb in (0, 1, 9, 11, 1 << 31):
        for start in (0, 31, 32, 1 << 31):
            s = connect()
            s.send(question(verb, start=start))
            assert answer(s) in (ABSENT, SKIPPED), (verb, start)


def pid_of(s):
    return struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def who():
    print(pid_of(connect()))


def many():
    """Clients that only connect, more than the agent takes."""
    kept = [connect() for _ in range(int(sys.argv[3]))]
    print(len(kept), flush=True)
    time.sleep(60)


def crowd():
    """As many clients at once as ARG says, each with a question of its own."""
    count = int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, count + 100))
    clients = [connect() for _ in range(count)]
    for i, s in enumerate(clients):
        s.send(question(CANDIDATES, struct.pack("<32s", str(i).encode())))
    said = [answer(s) for s in clients]
    print(said.count(ABSENT), "of", count)
    assert all(x in (ABSENT, SKIPPED) for x in said) and ABSENT in said


def no_worker():
    """The agent cannot fork."""
    s = connect()
    pid = pid_of(s)

    def limit(n):
        subprocess.run(["prlimit", "--pid", str(pid), "--nproc=" + n], check=True)

    limit("0:1000")
    s.send(question(CANDIDATES))
    assert answer(s) == SKIPPED
    limit("1000:1000")
    connect().send(question(DONE))
    s.settimeout(0.3)
    try:
        raise SystemExit("a second answer: %r" % s.recv(4096)[:8])
    except TimeoutError:
        pass


def same():
    """A worker brings a large result while others ask the same. sys.argv[3]: the key."""
    key = bytes.fromhex(sys.argv[3])
    first, second = connect(), connect()
    first.send(question(CANDIDATES, key))
    assert answer(first) == FILLED
    begun = time.monotonic()
    second.send(question(CANDIDATES, key))
    assert answer(second) == FILLED
    took = time.monotonic() - begun
    assert took < 0.5, "it waited %.3f s for a transfer that it did not ask for" % took


{f.__name__: f for f in (nonsense, who, many, crowd, no_worker, same)}[sys.argv[1]]()
