#!/usr/bin/env python3
"""warplu batch on several devices, on the fake driver: it has three, whose kernels do nothing, so that no answer is right and
the command says so. It takes the list, reports it, and says what it goes on without.
Standard library only; TAP on standard output. Usage: test_cli_devices.py WARPLU DRIVER"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from harness import matrix_text, run, run_cases, write  # noqa: E402

os.environ["WARPLU_LIBCUDA"] = os.path.abspath(sys.argv[2])
ARGUMENTS = ["batch", "A.mtx", "--perturb", "0.1", "--count", "70", "--executor", "cuda", "--repeat", "1"]
write("A.mtx", matrix_text(2, 2, {(0, 0): 4, (0, 1): 1, (1, 0): 1, (1, 1): 3}))


def report_of(*options):
    done = run(*ARGUMENTS, "--json", *options, code=1)
    return json.loads(done.out), done.err


def devices_are_reported():
    for options, devices in ([], [0]), (["--devices", "2"], [2]), (["--devices", "2,0,1"], [2, 0, 1]):
        report, err = report_of(*options)
        assert report["devices"] == devices and report["devices_at_work"] == len(devices), report["devices"]
        assert report["status"] == "WARPLU_MEMBERS_FAILED" and "at work" not in err, err
    lines = [line.split() for line in run(*ARGUMENTS, "--devices", "0,1", code=1).out.splitlines()]
    assert ["devices", "0,1"] in lines and ["devices", "at", "work", "2"] in lines, lines


def absent_devices_fail():
    report, err = report_of("--devices", "0,3")
    assert report["status"] == "WARPLU_NO_DEVICE" and report["devices"] == [0, 3], report
    assert "no CUDA device 3: the driver has 3" in err, err


def absent_devices_may_be_left_out():
    report, err = report_of("--devices", "0,3,1", "--fewer-devices")
    assert report["status"] == "WARPLU_MEMBERS_FAILED" and report["devices_at_work"] == 2, report["status"]
    assert "2 of 3 devices are at work: device 3 is left out" in err and "no CUDA device 3" in err, err
    report, err = report_of("--devices", "4,3", "--fewer-devices")
    assert report["status"] == "WARPLU_NO_DEVICE", report


run_cases([devices_are_reported, absent_devices_fail, absent_devices_may_be_left_out])
