"""Hardware virtualization, used only if it has booted the guest's kernel: some hosts offer a KVM that never does."""

import json
import os
import platform
import subprocess
import time
from pathlib import Path

from .image import Image

QEMU = 'qemu-system-x86_64'
BOUND = 10.0
"""seconds in which a kernel under KVM must have started its first program"""
STARTED = b'as init process'

EMULATED = ['-accel', 'tcg,thread=multi,tb-size=128', '-cpu', 'Nehalem']
VIRTUALIZED = ['-accel', 'kvm', '-cpu', 'host']


def works(image: Image) -> bool:
    """Whether KVM boots this image here; remembered beside the image."""
    memory = image.folder / 'accelerator.json'
    here = f'{platform.node()} {platform.release()}'
    try:
        known = json.loads(memory.read_text())
        if known['host'] == here:
            return bool(known['kvm'])
    except (OSError, ValueError, KeyError):
        pass
    kvm = os.access('/dev/kvm', os.R_OK | os.W_OK) and boots(image)
    memory.write_text(json.dumps({'host': here, 'kvm': kvm}) + '\n')
    return kvm


def boots(image: Image, bound: float = BOUND) -> bool:
    """Boot the kernel under KVM and look for its first program."""
    console = image.folder / 'probe.log'
    console.unlink(missing_ok=True)
    command = [
        *(QEMU, '-M', 'q35', *VIRTUALIZED, '-m', '384', '-nodefaults', '-display', 'none', '-no-reboot'),
        *('-kernel', str(image.kernel), '-initrd', str(image.initrd)),
        *('-append', 'console=ttyS0 panic=-1', '-serial', f'file:{console}'),
    ]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + bound
        while time.monotonic() < deadline and process.poll() is None:
            if console.exists() and STARTED in console.read_bytes():
                return True
            time.sleep(0.1)
        return False
    finally:
        process.kill()
        process.wait()
        console.unlink(missing_ok=True)


def arguments(kvm: bool) -> list[str]:
    """What QEMU is told."""
    return VIRTUALIZED if kvm else EMULATED


def describe(kvm: bool) -> str:
    """For the report."""
    return 'KVM' if kvm else 'software emulation (TCG)'


def installed() -> bool:
    """Whether QEMU is there at all."""
    return any(Path(folder, QEMU).exists() for folder in os.environ.get('PATH', '').split(':'))
