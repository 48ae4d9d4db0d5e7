"""redis_proxy.py PORT_FILE UPSTREAM_PORT MODE [ARG]: a Redis that misbehaves.

Listens on a free port of 127.0.0.1, writes it to PORT_FILE, and stands between each client and the
server on UPSTREAM_PORT (0: there is none) until it is killed:

  pass          copies
  delay MS      every piece of a reply comes MS late
  far MS        every piece of a reply comes MS late, and waits for no other piece
  slow MS       replies come byte by byte, MS between them
  hang          reads, says nothing
  full          the queue of connections is full: further ones are not answered
  half N        N bytes of the replies, then nothing more
  cut N         N bytes of the replies, then the end of file
  reset N       N bytes of the replies, then a reset
  swallow N     N bytes of what the client says, then a reset
  sweep KIND    the n-th connection is cut, reset or swallowed after n - 1 bytes
  at            "KIND N" as PORT_FILE.at says when a connection comes, or as pass; PORT_FILE.ended
                is there once one was ended so
  say TEXT      TEXT (with escapes) instead of what the server says; '!' at its end closes
  always TEXT   TEXT for every command, {port} in it is our own port
  moved MS:PORT -MOVED to PORT for every command, MS late
  count         copies; PORT_FILE.count holds the number of connections so far
  pieces MS     as far; PORT_FILE.count holds the number of pieces that clients have said
"""

import os
import queue
import socket
import struct
import sys
import threading
import time


# Another thread that receives from a socket keeps it open. So that thread is woken first.
def end(conn, how=socket.SHUT_RDWR):
    try:
        conn.shutdown(how)
    except OSError:
        pass
    conn.close()


def note_end():
    if sys.argv[3] == "at":
        open(sys.argv[1] + ".ended", "w").close()


def reset(conn):
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end(conn, socket.SHUT_RD)


pieces = 0


def note_piece():
    global pieces
    pieces += 1
    with open(sys.argv[1] + ".count", "w") as f:
        f.write(str(pieces))


def copy_requests(client, server, allowed):
    try:
        while True:
            data = client.recv(65536)
            if not data:
                break
            if sys.argv[3] == "pieces":
                note_piece()
            if allowed is not None:
                if len(data) >= allowed:
                    note_end()
                    server.sendall(data[:allowed])
                    reset(client)
                    return
                allowed -= len(data)
            server.sendall(data)
    except OSError:
        pass
    try:
        server.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def send_late(client, pieces):
    while True:
        due, data = pieces.get()
        time.sleep(max(0, due - time.monotonic()))
        if not data:
            end(client)
            return
        try:
            client.sendall(data)
        except OSError:
            return


def copy_late(client, server, late):
    pieces = queue.Queue()
    threading.Thread(target=send_late, args=(client, pieces), daemon=True).start()
    data = b"x"
    while data:
        data = server.recv(65536)
        pieces.put((time.monotonic() + late, data))


def copy_replies(client, server, mode, arg):
    if mode in ("far", "pieces"):
        copy_late(client, server, int(arg) / 1000)
        return
    left = int(arg) if mode in ("half", "cut", "reset") else None
    if left == 0 and mode in ("cut", "reset"):
        server.recv(1)
        note_end()
    if left == 0 and mode == "reset":
        reset(client)
        return
    if left == 0 and mode == "cut":
        end(client)
        return
    while True:
        data = server.recv(65536)
        if not data:
            end(client)
            return
        if mode == "delay":
            time.sleep(int(arg) / 1000)
        if mode == "slow":
            for byte in data:
                client.sendall(bytes([byte]))
                time.sleep(int(arg) / 1000)
            continue
        if left is None:
            client.sendall(data)
            continue
        if left <= len(data):
            note_end()
        client.sendall(data[:left])
        left -= len(data[:left])
        if left == 0 and mode == "half":
            time.sleep(3600)
        if left == 0 and mode == "cut":
            end(client)
            return
        if left == 0 and mode == "reset":
            # The client may or may not read the last reply before it sees the reset: both happen.
            reset(client)
            return


def serve(client, upstream, mode, arg):
    try:
        if mode == "hang":
            while client.recv(65536):
                pass
            return
        if mode == "say":
            text = arg.encode("latin-1").decode("unicode_escape").encode("latin-1")
            client.recv(65536)
            client.sendall(text[:-1] if text.endswith(b"!") else text)
            if text.endswith(b"!"):
                client.shutdown(socket.SHUT_WR)
            while client.recv(65536):
                pass
            return
        if mode == "moved":
            late, port = arg.split(":")
            while data := client.recv(65536):
                time.sleep(int(late) / 1000)
                client.sendall(f"-MOVED 1 127.0.0.1:{port}\r\n".encode() * data.count(b"*"))
            return
        if mode == "always":
            text = arg.replace("{port}",
                               str(client.getsockname()[1])).encode().decode("unicode_escape")
            while data := client.recv(65536):
                client.sendall(text.encode("latin-1") * data.count(b"*"))
            return
        server = socket.create_connection(("127.0.0.1", upstream))
        allowed = int(arg) if mode == "swallow" else None
        threading.Thread(target=copy_requests, args=(client, server, allowed), daemon=True).start()
        copy_replies(client, server, mode, arg)
    except OSError:
        pass


def main():
    port_file, upstream, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    arg = sys.argv[4] if len(sys.argv) > 4 else "0"
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0 if mode == "full" else 64)
    keep = []
    if mode == "full":
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
            keep.append(filler)
    with open(port_file + ".new", "w") as f:
        f.write(str(listener.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    if mode == "full":
        time.sleep(3600)
    number = 0
    while True:
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        how, what = (arg, str(number)) if mode == "sweep" else (mode, arg)
        number += 1
        if mode == "at":
            with open(port_file + ".at") as f:
                how, what = f.read().split()
        if mode == "count":
            with open(port_file + ".count", "w") as f:
                f.write(str(number))
        threading.Thread(target=serve, args=(client, upstream, how, what), daemon=True).start()


main()
