#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record.py KCOVTRACE CHILD [TEST...]: `kcovtrace record` on programs that fork, start threads, execute
others, stop, die and are killed. KCOVTRACE has a KCOV of its own (fake_capture.c); the programs and
ptrace are real. What was recorded is read with the same program's other commands."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM, CHILD = (os.path.abspath(word) for word in sys.argv[1:3])
NOBODY = 0x7F000000  # see child.c
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def check(condition, *facts):
    if not condition:
        raise AssertionError(" ".join(map(str, facts)))


def record(*words, fake="", status=0, **more):
    environment = dict(os.environ, FAKE=fake, ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([PROGRAM, "record", *words], capture_output=True, text=True, timeout=120,
                          env=environment, **more)
    check(done.returncode == status, words, "status", done.returncode, done.stdout, done.stderr)
    return done


def info(path, may_be_cut=False):
    """The segments of a file, as `info` says."""
    done = subprocess.run([PROGRAM, "info", "-f", "json", path], capture_output=True, text=True)
    check(done.returncode == 0 or may_be_cut, done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def marks(segments):
    """Numbers of the calls that the child makes to be found, by thread."""
    found = {}
    for segment in segments:
        call = segment["syscall"]
        if call.get("name") == "getpriority":
            found.setdefault(segment["thread"], []).append(int(call["args"][1], 16) - NOBODY)
    return found


def numbers(segments):
    return sorted(number for thread in marks(segments).values() for number in thread)


def calls(*words, status=0, fake="", options=("--follow", "--syscalls")):
    record("--mode", "ext", "-q", "-o", "t.kct", *options, "--", CHILD, *words, status=status, fake=fake)
    return info("t.kct")


@test
def one_segment_without_ptrace():
    done = record("-o", "t.kct", "--", CHILD, "forks")
    segment, = info("t.kct")
    check(segment["thread"] == segment["process"] and segment["thread_name"] == "record_child", segment)
    check("syscall" not in segment and segment["begin"] < segment["end"], segment)
    check("1 segment of 1 thread" in done.stderr, done.stderr)


@test
def system_calls_with_arguments_and_results():
    segments = calls("mark", "5", options=["--syscalls"])
    names = [segment["syscall"].get("name") for segment in segments]
    check(names[0] == "execve" and names[-1] == "exit_group", names)
    check("result" not in segments[-1]["syscall"], segments[-1])
    mark, = (segment for segment in segments if segment["syscall"]["name"] == "getpriority")
    # PRIO_PROCESS of a process that is not there.
    check(mark["syscall"]["args"] == ["0x0", hex(NOBODY + 5)] and mark["syscall"]["nr"] == 140, mark)
    check(mark["syscall"]["result"] == -3 and mark["syscall"]["error"] == "ESRCH", mark)


@test
def ptrace_itself_is_cut_off():
    for segment in calls("mark", "5"):
        # An entry and an exit: the return before and the call behind them are ptrace's.
        records = segment["records"]
        check((records["entry"], records["exit"], segment["words"]) == (1, 1, 3), segment)
        check(segment["stack"]["underflows"] == 0 and segment["stack"]["unfinished"] == 0, segment)


@test
def threads_and_processes_are_followed():
    for words, expected, threads in (
            (["threads"], [1, 10, 11, 12, 13], 5), (["forks"], [1, 20, 21, 22], 4),
            (["vfork"], [1, 30], 2), (["signals"], [1, 51], 1), (["closes"], [70, 71], 2),
            (["stops"], [60, 61], 2)):
        segments = calls(*words)
        check(numbers(segments) == expected, words, marks(segments))
        check(len(marks(segments)) == threads, words, marks(segments))
        processes = {segment["process"] for segment in segments}
        check((len(processes) == 1) == (words[0] in ("threads", "signals")), words, processes)
        times = [segment["end"] for segment in segments]
        check(times == sorted(times), "segments are not in the order in which they ended")


@test
def programs_of_32_bits():
    program = os.environ.get("KCT_CHILD_32")
    if not program or subprocess.run([program], stderr=subprocess.DEVNULL).returncode != 0:
        print("SKIP: 32-bit programs cannot be built or do not run", flush=True)
        return
    for words, expected in (("threads", [1, 10, 11, 12, 13]), ("forks", [1, 20, 21, 22])):
        record("--mode", "ext", "-q", "-o", "t.kct", "--follow", "--syscalls", "--", program, words)
        segments = info("t.kct")
        check(numbers(segments) == expected, words, marks(segments))
        # In their own numbering: 140 is another call of theirs.
        found = {segment["syscall"]["nr"] for segment in segments
                 if segment["syscall"].get("name") == "getpriority"}
        check(found == {96}, found)


@test
def one_segment_a_thread():
    segments = calls("threads", options=["--follow"])
    check(len(segments) == 5 and len({segment["thread"] for segment in segments}) == 5, segments)
    check(all("syscall" not in segment for segment in segments), segments)


@test
def only_the_first_thread_without_follow():
    check(marks(calls("threads", options=["--syscalls"])).popitem()[1] == [1])
    check(marks(calls("forks", options=["--syscalls"])).popitem()[1] == [1])
    # A thread that is not traced replaces the one that is.
    check(numbers(calls("exec", options=["--syscalls"])) == [])


@test
def execve_in_a_thread():
    segments = calls("exec")
    leader = segments[0]["thread"]
    check(marks(segments)[leader] == [41] and numbers(segments) == [40, 41], marks(segments))
    # The first thread was inside of pause() and is gone; the other one has its number since.
    pause, = (segment for segment in segments if segment["syscall"].get("name") in ("pause", "ppoll"))
    check(pause["thread"] == leader and "result" not in pause["syscall"], pause)
    execs = [segment for segment in segments if segment["syscall"].get("name") == "execve"]
    check([call["syscall"]["result"] for call in execs] == [0, 0], execs)
    check(execs[1]["thread"] == leader, execs)


@test
def status_is_that_of_the_program():
    for options in ((), ("--syscalls",), ("--follow",)):
        record("-q", *options, "--", CHILD, "exit", "7", status=7)
        record("-q", *options, "--", CHILD, "exit", "2", status=2)
        record("-q", *options, "--", CHILD, "die", "9", status=128 + 9)
        record("-q", *options, "--", CHILD, "die", "11", status=128 + 11)
    check(info("kcovtrace.kct"), "no file of the default name")


@test
def nothing_to_record():
    for words, fake, text in (
            ([CHILD], "open", "fake advice: mount debugfs"), ([CHILD], "enable", "fake: traced already"),
            (["no-such-program"], "", "no-such-program: there is no such program"),
            (["/dev/null"], "", "cannot run the program: Permission denied"),
            (["./nowhere"], "", "cannot run the program: No such file or directory"),
            (["--mode", "unique", CHILD], "", "fake: no such mode"),
            (["--remote", "usb:1", CHILD], "remote", "fake: handle in use"),
            (["--remote", "common:1", CHILD], "remote", "fake: handle in use"),
            (["--remote", "common:1", "--remote", "common:2", CHILD], "", "one common handle only"),
            (["-o", "/dev/full", CHILD], "", "No space left on device"),
            (["-o", "/no/where", CHILD], "", "/no/where: No such file or directory")):
        for options in ((), ("--syscalls", "--follow")):
            done = record(*options, *words, fake=fake, status=1)
            check(text in done.stderr, words, done.stderr)
            check(not os.path.exists("kcovtrace.kct"), words, "left a file")
            if "-o" in words:
                continue
            Path("kcovtrace.kct").write_text("older")
            record(*options, *words, fake=fake, status=1)
            check(Path("kcovtrace.kct").read_text() == "older", words, "touched an older trace")
            os.unlink("kcovtrace.kct")


@test
def wrong_options():
    for words, text in (
            ([], "no program given"), (["--mode", "x", "true"], "pc, cmp, ext, mem or unique"),
            (["-s", "0", "true"], "a number of words"), (["-s", "4G", "true"], "a number of words"),
            (["-s", "99999999999999999999", "true"], "a number of words"),
            (["-s", "9999999999999999M", "true"], "too many words"),
            (["--remote", "usb:x", "true"], "usb:BUS, common:NUMBER or a number"),
            (["--remote", "common:0", "true"], "a number above 0"),
            (["--remote", "usb:4294967296", "true"], "too large"),
            (["--remote", "0", "true"], "0 is no handle")):
        check(text in record(*words, status=2).stderr, words)


@test
def options_end_at_the_program():
    done = record("-o", "t.kct", "sh", "-c", "echo $0 $1", "-o", "--syscalls")
    check(done.stdout == "-o --syscalls\n", done.stdout)
    check(info("t.kct")[0]["command"] == "sh -c 'echo $0 $1' -o --syscalls", info("t.kct")[0])


@test
def trace_on_standard_output():
    environment = dict(os.environ, FAKE="")
    done = subprocess.run([PROGRAM, "record", "-o", "-", "--", "echo", "printed"], env=environment,
                          capture_output=True, check=True)
    Path("t.kct").write_bytes(done.stdout)
    check(len(info("t.kct")) == 1 and b"printed\n" in done.stderr, done.stderr)


@test
def what_cannot_be_recorded_is_told():
    done = record("--follow", "-o", "t.kct", "--", CHILD, "threads", fake="attach")
    check(re.search(r"warning: 4 threads not recorded; thread \d+: it cannot enable KCOV: "
                    "Inappropriate ioctl", done.stderr), done.stderr)
    check(len(info("t.kct")) == 1)


@test
def full_buffers_are_told():
    done = record("--syscalls", "-s", "512", "-o", "t.kct", "--", CHILD, "mark", "1", fake="full")
    check(re.search(r"warning: (\d+) of \1 segments filled the buffer of 512 words.*-s 1024",
                    done.stderr), done.stderr)
    check(all(segment["overflow"] is True for segment in info("t.kct")))


@test
def remote_handles_have_segments():
    record("--remote", "usb:3", "--remote", "common:7", "--remote", "0x0100000000000004", "-o", "t.kct", "--",
           CHILD)
    handles = [segment.get("remote") for segment in info("t.kct")]
    check(handles == [None, "0x100000000000003", "0x7", "0x100000000000004"], handles)


@test
def facts_of_the_machine():
    root = Path("root")
    notes = (b"\x04\0\0\0\x02\0\0\0\x01\0\0\0Oth\0ab\0\0"  # another note, filled up to 4 bytes
             b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0" + bytes(range(20)))
    for path, data in (
            ("proc/sys/kernel/osrelease", b"7.2.0-test\n"), ("proc/sys/kernel/arch", b"x86_64\n"),
            ("proc/version", b"Linux version 7.2.0-test\n"), ("sys/kernel/notes", notes),
            ("proc/modules", b"loop 32768 0 - Live 0xffffffffc0000000\n"),
            ("sys/module/loop/sections/.text", b"0xffffffffc0000000\n"),
            ("sys/module/loop/sections/.data", b"0xffffffffc0008000\n"),
            ("sys/module/nosections/parameters/x", b"1\n"),
            ("proc/kallsyms", b"ffffffff91000000 T _text\nffffffff91000010 T other\n"
             b"ffffffff91000000 T _stext\nffffffffc0000000 t lo_open\t[loop]\n")):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    record("--sysroot", "root", "-o", "t.kct", "--", CHILD)
    segment = info("t.kct")[0]
    check(segment["kernel"] == "7.2.0-test" and segment["architecture"] == "x86_64", segment)
    check(segment["build_id"] == bytes(range(20)).hex(), segment)
    data = Path("t.kct").read_bytes()
    for text in (b"loop .data 0xffffffffc0008000\nloop .text 0xffffffffc0000000",
                 b"loop 32768 0 - Live 0xffffffffc0000000", b"Linux version 7.2.0-test",
                 b"ffffffff91000000 T _text\nffffffff91000000 T _stext\n"
                 b"ffffffffc0000000 t lo_open\t[loop]"):
        check(text in data, text)
    (root / "proc/kallsyms").write_bytes(b"0000000000000000 T _text\n")
    record("--sysroot", "root", "-o", "t.kct", "--", CHILD)
    check(b"kallsyms" not in Path("t.kct").read_bytes(), "addresses that are hidden were recorded")


@test
def a_sysroot_may_hold_anything():
    """Pipes, devices and files without end are no facts, and a name does not make lines of its own."""
    root = Path("odd")
    sections = root / "sys/module/loop/sections"
    for directory in (root / "proc/sys/kernel", sections, root / "sys/kernel",
                      root / "sys/module/a\nfake .text 0xffffffffdead0000\nb/sections"):
        directory.mkdir(parents=True)
    os.mkfifo(root / "proc/version")
    # A reader, so that what was written stays in the pipe.
    reader = os.open(root / "proc/version", os.O_RDONLY | os.O_NONBLOCK)
    (root / "proc/version").write_bytes(b"from a pipe\n")
    os.symlink("/dev/zero", root / "proc/sys/kernel/osrelease")
    os.symlink("/dev/full", root / "sys/kernel/notes")
    (root / "proc/kallsyms").write_bytes(b"ffffffff91000000 T _text\n")
    os.truncate(root / "proc/kallsyms", 1 << 40)  # takes no disk
    (root / "proc/sys/kernel/arch").write_bytes(b"endless\n")
    os.truncate(root / "proc/sys/kernel/arch", 1 << 40)
    (root / "proc/modules").write_bytes(b"loop 32768 0 - Live 0xffffffffc0000000\n")
    for name in (".text", ".a\nfake .text 0xffffffffdead0000\n.b", ".c 0xffffffffdead0000", ".d#", ".e\x7f",
                 ".f\x1b[31m"):
        (sections / name).write_bytes(b"0xffffffffc0000000\n")
    os.mkfifo(sections / ".pipe")
    record("--sysroot", "odd", "-o", "t.kct", "--", CHILD)
    os.close(reader)
    segment = info("t.kct")[0]
    check("kernel" not in segment and "build_id" not in segment, segment)
    data = Path("t.kct").read_bytes()
    for name, text, found in (("a regular file", b"loop 32768 0 - Live 0xffffffffc0000000", True),
                              ("a section", b"loop .text 0xffffffffc0000000", True),
                              ("forged lines", b"dead0000", False), ("a comment", b".d#", False),
                              ("delete", b".e", False), ("escape", b".f", False),
                              ("a pipe", b".pipe", False), ("a version from a pipe", b"kernel-version", False),
                              ("symbols without end", b"_text", False),
                              ("an architecture without end", b"endless", False)):
        check((text in data) == found, name)


def start(*words):
    return subprocess.Popen([PROGRAM, "record", "-o", "t.kct", *words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, start_new_session=True,
                            env=dict(os.environ, FAKE=""))


@test
def a_signal_ends_the_program():
    for options in ((), ("--syscalls",), ("--follow",)):
        for number in (signal.SIGINT, signal.SIGTERM):
            recorder = start(*options, "--", CHILD, "wait")
            recorder.stdout.readline()
            recorder.send_signal(number)
            check(recorder.wait(60) == 128 + number, options, recorder.returncode, recorder.stderr.read())
            last = info("t.kct")[-1]
            # The signal may have come before pause(); if inside of it, no result is made up.
            if "--syscalls" in options and last["syscall"]["name"] == "pause":
                check(last["syscall"].get("error", "ERESTARTNOHAND") == "ERESTARTNOHAND", last)


@test
def a_second_signal_kills_a_program_that_ignores_it():
    for options in ((), ("--syscalls",), ("--follow",)):
        recorder = start(*options, "--", CHILD, "ignore")
        recorder.stdout.readline()
        recorder.send_signal(signal.SIGINT)
        time.sleep(0.3)
        check(recorder.poll() is None, "the first signal ended it")
        # Two that come before it runs are one.
        for _ in range(200):
            recorder.send_signal(signal.SIGINT)
            try:
                recorder.wait(0.3)
                break
            except subprocess.TimeoutExpired:
                pass
        check(recorder.returncode == 128 + signal.SIGKILL, options, recorder.returncode)
        check(info("t.kct"))


def session_is_empty(leader):
    """No process of a session is left, zombies aside."""
    for entry in os.listdir("/proc"):
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(leader) and fields[0] not in "ZX":
            return False
    return True


@test
def a_killed_recorder_leaves_whole_segments():
    chance = random.Random(3)
    most = 0
    for _ in range(20):
        recorder = start("--syscalls", "--follow", "--", CHILD, "loop")
        wanted = chance.randrange(20000)
        while not Path("t.kct").exists() or Path("t.kct").stat().st_size < wanted:
            time.sleep(0.001)
        recorder.kill()
        recorder.wait()
        segments = info("t.kct", may_be_cut=True) if Path("t.kct").stat().st_size else []
        Path("t.kct").rename("last.kct")
        most = max(most, len(segments))
        # What is there is whole: each segment is the one call that was made.
        check(all(segment["words"] == 3 for segment in segments if "segment" in segment), segments)
        tail = subprocess.run([PROGRAM, "info", "last.kct"], capture_output=True,
                              text=True).stderr
        check("damaged" not in tail, tail)
        for _ in range(100):
            if session_is_empty(recorder.pid):
                break
            time.sleep(0.05)
        check(session_is_empty(recorder.pid), "the program outlived its recorder")
    check(most > 20, "it was killed before it recorded anything")


def main():
    failed = 0
    for function in TESTS:
        if sys.argv[3:] and function.__name__ not in sys.argv[3:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                function()
                print(f"ok {function.__name__}", flush=True)
            except Exception as problem:  # all kinds are failures of the test
                failed += 1
                print(f"FAILED {function.__name__}: {problem!r}", flush=True)
            os.chdir("/")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
