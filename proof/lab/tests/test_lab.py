"""Cleaning up is not cut short."""

import os
import signal

import pytest

from sas_grid_lab.lab import undisturbed


def test_an_interruption_waits_until_cleaning_up_is_done() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        done.append('all')
    assert done == ['all']
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
