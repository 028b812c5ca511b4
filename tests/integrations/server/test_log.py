"""The server's own errors are told, and no request waits until they are read."""

import logging
import os
import time

from sandbox.integrations.server.log import Log


def test_a_log_that_is_not_read_keeps_nobody_waiting_and_does_not_grow() -> None:
    reading, writing = os.pipe()
    handler = Log(writing)
    for number in range(20_000):  # more than the pipe and what waits hold
        message = {"msg": f"error {number} {'x' * 90}", "levelno": logging.ERROR}
        handler.handle(logging.makeLogRecord(message))
    told, deadline = b"", time.monotonic() + 60
    os.set_blocking(reading, False)
    while b"error 900 " not in told and time.monotonic() < deadline:
        try:
            told += os.read(reading, 1 << 16)
        except BlockingIOError:
            time.sleep(0.01)
    assert told.startswith(b"error 0 ")
    assert b"error 900 " in told
    assert b"error 19999 " not in told
