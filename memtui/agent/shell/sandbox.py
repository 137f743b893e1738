"""The program that runs a plan: it confines itself first, then starts the given programs without a shell.

It runs in an interpreter of its own, without our package and the user's environment, and single-threaded, so that it
may give up rights before it starts anything; a library in our own process could not. Input is one JSON object on
standard input, written by `run`. The layers in force are reported as JSON on the file descriptor named by the first
argument. The exit code is that of the last program.

Layers, each as far as the system has it:
- "limits"     no file may grow, no core dump, CPU seconds, memory
- "no network" an empty network namespace
- "read-only"  a mount namespace in which every mount is read-only, which also stops chmod and touch
- "landlock"   only the readable folders and the system's programs can be read, nothing written, no TCP, no signals out;
               no new rights through set-uid programs

Source: Linux 6.7 uapi landlock.h, mount.h; manual pages landlock(7), mount_setattr(2), unshare(2).
"""

import ctypes
import json
import os
import platform
import resource
import signal
import struct
import subprocess
import sys
from typing import Any

_MAX_MEMORY_BYTES = 4 << 30  # address space of one program; ripgrep maps whole transcripts

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE, _RDONLY = -100, 0x8000, 1
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _IOCTL_DEV = 1, 2, 4, 8, 1 << 15
_FS_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # number of file rights that each Landlock version knows

_SYSTEM_PATHS = (
    "/usr", "/bin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store", "/run/current-system", "/etc/ld.so.cache",
    "/etc/localtime", "/etc/magic",
)  # fmt: skip
"""What programs need to start."""


def main() -> int:
    job = json.load(sys.stdin.buffer)
    try:
        os.chdir(job["cwd"])
    except OSError as error:
        print(f"{job['cwd']}: {error.strerror}")
        return 1
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    layers = ["limits"] if _set_limits(job["seconds"]) else []
    if sys.platform == "linux":
        layers += _confine(job["readable"])
    report = int(sys.argv[1])
    os.write(report, json.dumps(layers).encode())
    os.close(report)
    return _run_steps(job)


def _set_limits(seconds: int) -> bool:
    files, core, cpu = resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_CPU
    done = True
    for what, most in ((files, 0), (core, 0), (cpu, seconds), (resource.RLIMIT_AS, _MAX_MEMORY_BYTES)):
        try:
            resource.setrlimit(what, (most, most))
        except (OSError, ValueError):
            done = False
    return done


def _confine(readable: list[str]) -> list[str]:
    """Give up the rights that the system lets us give up; returns the layers in force."""
    libc = ctypes.CDLL(None, use_errno=True)
    layers = []
    if _unshare(libc, _CLONE_NEWNET | _CLONE_NEWNS):
        layers.append("no network")
        if _freeze_mounts(libc):
            layers.append("read-only")
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and _landlock(libc, readable):
        layers.append("landlock")
    return layers


def _unshare(libc: Any, flags: int) -> bool:
    """Leave the shared namespaces; without root that takes a user namespace."""
    if os.geteuid() == 0 and libc.unshare(flags) == 0:
        return True
    uid, gid = os.geteuid(), os.getegid()
    if libc.unshare(flags | _CLONE_NEWUSER) != 0:
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            fd = os.open(f"/proc/self/{name}", os.O_WRONLY)
            os.write(fd, text.encode())
            os.close(fd)
    except OSError:
        return False
    return True


def _freeze_mounts(libc: Any) -> bool:
    attributes = struct.pack("QQQQ", _RDONLY, 0, 0, 0)
    return bool(libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, attributes, len(attributes)) == 0)


def _landlock(libc: Any, readable: list[str]) -> bool:
    if platform.machine() not in ("x86_64", "aarch64", "riscv64"):  # other machines have other call numbers
        return False
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    files = (1 << _FS_RIGHTS.get(version, 16)) - 1
    handled = struct.pack("QQQ", files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(size), 0)
    if rules < 0:
        return False
    allowed = [(path, _EXECUTE | _READ_FILE | _READ_DIR) for path in _SYSTEM_PATHS]
    allowed += [(path, _READ_FILE | _READ_DIR) for path in readable]
    # Some programs query the type of their input before they read it.
    allowed.append((os.devnull, _READ_FILE | _WRITE_FILE | (_IOCTL_DEV & files)))
    for path, rights in allowed:
        _allow(libc, rules, path, rights)
    done = libc.syscall(_RESTRICT_SELF, rules, 0) == 0
    os.close(rules)
    return bool(done)


def _allow(libc: Any, rules: int, path: str, rights: int) -> None:
    """Allow a path; one that can't be opened stays denied."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return
    if not os.path.isdir(path):  # noqa: PTH112 - no pathlib here: it takes a third of the start-up time
        rights &= ~_READ_DIR
    libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, fd), 0)
    os.close(fd)


def _run_steps(job: dict[str, Any]) -> int:
    code = 0
    for step in job["steps"]:
        if (step["after"] == "&&" and code != 0) or (step["after"] == "||" and code == 0):
            continue
        code = _run_pipeline(step["stages"], job["env"])
    return code


def _run_pipeline(stages: list[dict[str, Any]], env: dict[str, str]) -> int:
    null = os.open(os.devnull, os.O_RDWR)
    source = null
    running: list[subprocess.Popen[bytes] | None] = []
    for number, stage in enumerate(stages):
        out, after = 1, null
        if number < len(stages) - 1:
            after, out = os.pipe()
        outputs = {1: out, 2: 2}
        for redirect in stage["redirects"]:
            outputs[redirect["fd"]] = null if redirect["target"] == "null" else outputs[1]
        running.append(_start(stage["argv"], env, source, outputs))
        for fd in {source, out} - {1, null}:
            os.close(fd)
        source = after
    os.close(null)
    codes = [127 if child is None else child.wait() for child in running]
    return codes[-1] if codes[-1] >= 0 else 128 - codes[-1]


def _start(
    argv: list[str], env: dict[str, str], source: int, outputs: dict[int, int]
) -> "subprocess.Popen[bytes] | None":
    try:
        return subprocess.Popen(
            argv, env=env, stdin=source, stdout=outputs[1], stderr=outputs[2], preexec_fn=_end_with_parent
        )
    except OSError as error:
        words = "not installed" if isinstance(error, FileNotFoundError) else error
        os.write(outputs[2], f"{argv[0]}: {words}\n".encode())
        return None


def _end_with_parent() -> None:
    """Have the system kill this process when its parent ends, for whatever reason."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    _end_with_parent()
    sys.exit(main())
