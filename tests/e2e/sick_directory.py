"""A file system that passes everything through to a directory, as a file server does, and has its
troubles: sick_directory.py MOUNT DIRECTORY CONTROL [SKEW].

CONTROL is a file of words CALL=ERRNO, such as "read=EIO rename=ESTALE", read before each call;
"all" stands for every call. SKEW is how many seconds the server's clock is ahead. Attributes and
absences are cached for 0.2 s, as NFS does for longer. Needs root and the package
python3-fusepy."""
import errno
import os
import sys
import time

try:
    import fusepy as fuse
except ImportError:
    import fuse

mount, directory, control = sys.argv[1:4]
skew = int(sys.argv[4]) if len(sys.argv) > 4 else 0


class Files(fuse.Operations):
    def __call__(self, call, path, *args):
        try:
            with open(control) as f:
                words = f.read().split()
        except FileNotFoundError:
            words = []
        for word in words:
            name, _, code = word.partition("=")
            if name in (call, "all"):
                raise fuse.FuseOSError(getattr(errno, code))
        if not hasattr(self, call):
            raise fuse.FuseOSError(errno.ENOSYS)
        return getattr(self, call)(directory + path, *args)

    def init(self, path):
        pass

    def getattr(self, path, fh=None):
        st = os.lstat(path)
        names = ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size",
                 "st_uid")
        found = {name: getattr(st, name) for name in names}
        found["st_mtime"] += skew
        return found

    def access(self, path, mode):
        if not os.access(path, mode):
            raise fuse.FuseOSError(errno.EACCES)

    def statfs(self, path):
        st = os.statvfs(path)
        return {name: getattr(st, name) for name in dir(st) if name.startswith("f_")
                and name != "f_fsid"}

    def readdir(self, path, fh):
        return [".", ".."] + os.listdir(path)

    def utimens(self, path, times=None):
        # The kernel sends its own time for "now", and an NFS client would let the server choose.
        now = time.time()
        if times and abs(times[1] - now) > 5:
            os.utime(path, (times[0] - skew, times[1] - skew))
        else:
            os.utime(path, (now, now))

    def create(self, path, mode, fi=None):
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path, flags):
        return os.open(path, flags & ~(os.O_CREAT | os.O_EXCL))

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(path, length)

    def flush(self, path, fh):
        pass

    def release(self, path, fh):
        os.close(fh)

    def rename(self, old, new):
        os.rename(old, directory + new)

    def chmod(self, path, mode):
        os.chmod(path, mode)

    def chown(self, path, uid, gid):
        os.chown(path, uid, gid)

    def mkdir(self, path, mode):
        os.mkdir(path, mode)

    def rmdir(self, path):
        os.rmdir(path)

    def unlink(self, path):
        os.unlink(path)


os.umask(0)
fuse.FUSE(Files(), mount, foreground=True, nothreads=True, allow_other=True,
          attr_timeout=0.2, entry_timeout=0.2, negative_timeout=0.2, default_permissions=True)
