"""Tests that pass, fail, differ, hang and end the process: what the harness must tell apart."""

import os
import sys
import time
import unittest

ON_FACULA = "facula" in sys.modules


class Tiny(unittest.TestCase):
    def test_passes(self) -> None:
        print("this is no answer")

    def test_fails(self) -> None:
        self.assertEqual(1, 2)

    def test_differs(self) -> None:
        if ON_FACULA:
            raise ValueError("first\nsecond")

    def test_hangs(self) -> None:
        if ON_FACULA:
            time.sleep(600)

    def test_ends(self) -> None:
        if ON_FACULA:
            os._exit(3)

    def test_zuletzt_passes(self) -> None:
        pass

    def test_is_skipped(self) -> None:
        if ON_FACULA:
            self.skipTest("not here")

    @unittest.skip("nowhere")
    def test_is_never_run(self) -> None:
        raise AssertionError

    @unittest.expectedFailure
    def test_fails_as_expected(self) -> None:
        self.assertEqual(1, 2)
