"""Lustre's tools. What they print and return follows recordings of a real Lustre 2.17."""

from __future__ import annotations

import os
import sys
import time

import host
import managed
from host import Device, Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

NIDS = host.ROOT / 'run/lnet-nids'
UNHEALTHY = host.ROOT / 'run/lustre-unhealthy'
"""Made by tests: a service that hangs."""
DEFAULT_REQUESTS, MOST_REQUESTS = '8', '256'
"""in flight"""


def mkfs(arguments: Sequence[str]) -> int:
    options = {a.split('=')[0]: a.split('=', 1)[-1] for a in arguments if a.startswith('--')}
    names = [a for a in arguments if not a.startswith('--')]
    service = next((s for flag, s in (('--mdt', 'mds'), ('--ost', 'oss'), ('--mgs', 'mgs')) if flag in options), '')
    if not service or not names:
        raise Failed(22, 'mkfs.lustre FATAL: Must specify a target type and a device')
    if '--mgs' not in options and '--mgsnode' not in options:
        raise Failed(22, '\nmkfs.lustre FATAL: Must specify --mgsnode\nmkfs.lustre: exiting with 22 (Invalid argument)')
    device = Device(names[-1])
    with device.superblock() as block:
        if block.get('mountedBy'):
            raise Failed(17, f'{device.path}: is currently mounted, exiting without any change')
        if not device.blank() and '--reformat' not in options:
            raise Failed(17, f'mkfs.lustre: {device.path} contains data; use --reformat to overwrite it')
        if not device.blank():
            host.record('violation', device.id, block.get('target'), 'reformatted')
        kind = {'mgs': 'MGS', 'mds': 'MDT', 'oss': 'OST'}[service]
        index = int(options.get('--index', '0'), 0)
        fsname = options.get('--fsname', '')
        backend = options.get('--backfstype', 'ldiskfs')
        block.update(
            target='MGS' if service == 'mgs' else f'{fsname}-{kind}{index:04x}',
            service=service,
            alsoMgs=service == 'mds' and '--mgs' in options,
            fsname=fsname,
            index=index,
            backend=backend,
            mgsnode=options.get('--mgsnode', ''),
            servicenode=options.get('--servicenode', ''),
            dataset=names[0] if len(names) > 1 else '',
            uuid=os.urandom(16).hex(),
            formattedAt=time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()),
            formatCount=block.get('formatCount', 0) + 1,
            firstTime=True,
            mountedBy=None,
        )
        device.write_signature('zfs_member' if backend == 'zfs' else 'ext4')
        _print_target('Permanent disk data', block)
        host.record('format', device.id, None, block['target'])
    return 0


def tunefs(arguments: Sequence[str]) -> int:
    if '--dryrun' not in arguments:
        raise Failed(22, 'tunefs.lustre: only --dryrun is emulated')
    name = arguments[-1]
    device = _by_dataset(name) if not name.startswith('/') else Device(name)
    if device is not None:
        with device.superblock() as block:
            if block.get('target'):
                print('checking for existing Lustre data: found')
                _print_target('Read previous values', block)
                _print_target('Permanent disk data', block)
                print('exiting before disk write.')
                return 0
    print('checking for existing Lustre data: not found')
    raise Failed(19, f'tunefs.lustre FATAL: Device {name} has not been formatted with mkfs.lustre')


def mount(source: str, directory: str, options: str) -> int:
    """``mount -t lustre``: a target when the source is a device or a dataset, else a client."""
    if any(line[1] == directory for line in host.mounts()):
        raise Failed(17, f'mount.lustre: according to /etc/mtab {source} is already mounted on {directory}')
    if ':/' in source and not source.startswith('/'):
        return _mount_client(source, directory, options)
    device = Device(source) if source.startswith('/') else _by_dataset(source)
    if device is None:
        raise Failed(19, f'mount.lustre: {source} has not been formatted with mkfs.lustre')
    with device.superblock() as block:
        if not block.get('target'):
            raise Failed(19, f'mount.lustre: {source} has not been formatted with mkfs.lustre')
        other = block.get('mountedBy')
        if other and host.alive(other):
            host.record('violation', device.id, other, 'second mount refused', target=block['target'])
            raise Failed(16, f'mount.lustre: mount {source} at {directory} failed: Device or resource busy')
        if not host.serves_mgs(block) and not host.mgs_mounted(block['mgsnode']):
            raise Failed(110, f'mount.lustre: mount {source} at {directory} failed: Connection timed out')
        block.update(mountedBy=host.INSTANCE, firstTime=block['service'] == 'mgs' and block['firstTime'])
        host.record('mount', device.id, None, host.INSTANCE, target=block['target'], options=options)
        host.write_mounts([*host.mounts(), [source, directory, 'lustre', f'rw,svname={block["target"]}', '0', '0']])
    return 0


def unmounted(source: str) -> None:
    """A target or a client was unmounted on this host; parameters of a client go with it."""
    if '@' in source:
        (host.ROOT / 'run/lustre-set').remove()
        return
    device = Device(source) if source.startswith('/') else _by_dataset(source)
    if device is not None:
        with device.superblock() as block:
            block['mountedBy'] = None
        host.record('mount', device.id, host.INSTANCE, None)


def lctl(arguments: Sequence[str]) -> int:
    if not arguments:
        return 0
    command, rest = arguments[0], list(arguments[1:])
    if command in ('--version', 'version'):
        print(f'lctl {_release()}')
    elif command == 'list_nids':
        print(NIDS.read_text() if NIDS.exists() else '', end='')
    elif command == 'ping':
        server = rest[0].partition('@')[0]
        if managed.is_name(server) or (not host.node_answers(rest[0]) and managed.find(server)):
            return managed.ping(server)
        if not host.node_answers(rest[0]):
            print(f'failed to ping {rest[0]}: No route to host')
            return 113
        print(f'12345-0@lo\n{rest[0]}')
    elif command.startswith('barrier_'):
        import barrier

        return barrier.barrier(command, rest)
    elif command == 'get_param':
        return _get_param(rest)
    elif command == 'set_param':
        return _set_param(rest)
    elif command == '--device' and rest[-1].endswith('-client'):
        _print_client_log(rest[-1].removesuffix('-client'))
    elif command == '--device':
        params = host.ROOT / 'run/lustre-params'
        print(params.read_text() if params.exists() else '', end='')
    elif command == 'dl':
        for number, line in enumerate(host.mounts()):
            print(f'  {number} UP obdfilter {line[3].partition("svname=")[2]} UUID 5')
    return 0


def lfs(arguments: Sequence[str]) -> int:
    """df: the targets that clients know; their sizes are made up."""
    if arguments[:1] != ['df']:
        return 0
    for source, directory, kind, *_ in host.mounts():
        if kind == 'lustre' and directory == arguments[-1]:
            print('UUID                   1K-blocks        Used   Available Use% Mounted on')
            for block in sorted(_registered(source.rpartition('/')[2]), key=lambda one: str(one['target'])):
                role = 'MDT' if block['service'] == 'mds' else 'OST'
                print(f'{block["target"]}_UUID 1000000 1000 999000 1% {directory}[{role}:{block["index"]}]')
    return 0


def lnetctl(arguments: Sequence[str]) -> int:
    if arguments[:2] == ['net', 'del']:
        NIDS.remove()
    elif arguments[:2] == ['net', 'add']:
        name = arguments[list(arguments).index('--if') + 1]
        mac = (host.ROOT / 'sys/class/net' / name / 'address').read_text().strip()
        address = (host.ROOT / 'metadata/macs' / mac / 'local-ipv4s').read_text().strip()
        NIDS.parent.make_folder()
        NIDS.write_text(f'{address}@tcp\n')
    return 0


def _get_param(arguments: list[str]) -> int:
    bare = '-n' in arguments
    unknown = []
    for name in (a for a in arguments if a != '-n'):
        if name == 'health_check':
            works = all(_works(line) for line in host.mounts()) and not UNHEALTHY.exists()
            value = 'healthy' if works else 'NOT HEALTHY'
        elif name == 'version':
            value = _release()
        elif name.startswith('mgs.MGS.live.'):
            fsname = name.rpartition('.')[2]
            value = '\n'.join([f'fsname: {fsname}', *(block['target'] for block in _registered(fsname))])
        elif value := _client_parameter(name):
            pass
        else:
            unknown.append(f"error: get_param: param_path '{name}': No such file or directory")
            continue
        print(value if bare else f'{name}={value}')
    if unknown:
        raise Failed(2, '\n'.join(unknown))
    return 0


def _release() -> str:
    """That of the package, where it was installed as one."""
    import stub  # most calls need it not

    for name in ('lustre', 'lustre-client'):
        file = host.ROOT / 'var/lib/packages.d' / name
        if file.exists() and (version := stub.read(file.read_text(), name).version) != '1':
            return version
    return host.role_setting('LUSTRE_VERSION', '2.16.1')


def _registered(fsname: str) -> Iterator[dict[str, Any]]:
    """The targets that the MGS knows; of those that were restored into another network, the first of each name."""
    seen = set()
    for block in host.superblocks():
        if block.get('fsname') == fsname and block['service'] != 'mgs' and not block['firstTime']:
            if block['target'] not in seen:
                yield block
            seen.add(block['target'])


def _print_client_log(fsname: str) -> None:
    """Where the targets are, as the MGS tells clients."""
    for block in _registered(fsname):
        target, node = block['target'], block['servicenode']
        device = f'{target}-{"mdc" if block["service"] == "mds" else "osc"}'
        print(f'- {{ index: 1, event: setup, device: {device}, UUID: {target}_UUID, node: {node} }}')


def _works(mounted: list[str]) -> bool:
    """Whether what is mounted is no target, or one whose volume has been there ever since."""
    source, options = mounted[0], mounted[3]
    if 'svname=' not in options:
        return True
    try:
        device = Device(source) if source.startswith('/') else _by_dataset(source)
    except Failed:
        return False
    if device is None:
        return False
    with device.superblock() as block:
        # A volume that was taken away is mounted nowhere any more, wherever it is now.
        return bool(block.get('mountedBy') == host.INSTANCE)


def _set_param(arguments: list[str]) -> int:
    permanent = '-P' in arguments
    serves_mgs = any('svname=MGS' in line[3] for line in host.mounts())
    if permanent and not serves_mgs:
        raise Failed(19, 'This command must be run on the MGS.\nerror: executing set_param: No such device')
    for setting in (a for a in arguments if a not in ('-P', '-n')):
        name, _, value = setting.partition('=')
        if not permanent:
            _refuse(name, value)
        # Drops the locks that nobody uses, and leaves the limit as it is (Lustre Operations Manual, "lru_size").
        if not permanent and value == 'clear' and name.endswith('.lru_size'):
            continue
        line = f'- {{ index: 1, event: set_param, device: general, parameter: {name}, value: {value} }}\n'
        (host.ROOT / 'run' / ('lustre-params' if permanent else 'lustre-set')).append_text(line)
    return 0


def _refuse(name: str, value: str) -> None:
    """Parameters exist while something is mounted. Modifying requests are always fewer than all requests."""
    if not any(line[2] == 'lustre' for line in host.mounts()):
        raise Failed(2, f"error: set_param: param_path '{name}': No such file or directory")
    device, _, parameter = name.rpartition('.')
    most = ''
    if parameter == 'max_mod_rpcs_in_flight':
        most = str(int(_client_parameter(f'{device}.max_rpcs_in_flight') or DEFAULT_REQUESTS) - 1)
    elif parameter == 'max_rpcs_in_flight':
        most = MOST_REQUESTS
    if most and int(value) > int(most):
        raise Failed(34, f'error: set_param: setting {name}={value}: Numerical result out of range')


def _client_parameter(name: str) -> str:
    """What was set last."""
    path = host.ROOT / 'run/lustre-set'
    found = ''
    for line in path.read_text().splitlines() if path.exists() else ():
        after = line.partition(f'parameter: {name}, value: ')[2]
        found = after.removesuffix(' }') if after else found
    return found


def _mount_client(source: str, directory: str, options: str) -> int:
    nid, _, fsname = source.partition(':/')
    server = nid.partition('@')[0]
    if managed.is_name(server) or (not host.mgs_mounted(nid) and managed.find(server)):
        return managed.mount_lustre(source, directory, options)
    if not host.mgs_mounted(nid):
        raise Failed(110, f'mount.lustre: mount {source} at {directory} failed: Connection timed out')
    if not any(b.get('fsname') == fsname and b['service'] == 'mds' and b['mountedBy'] for b in host.superblocks()):
        raise Failed(2, f'mount.lustre: mount {source} at {directory} failed: No such file or directory')
    shown = managed.lustre_options(options)
    host.write_mounts([*host.mounts(), [source, directory, 'lustre', shown, '0', '0']])
    return 0


def _by_dataset(name: str) -> Device | None:
    for link in (host.ROOT / 'dev/disk/by-id').children():
        device = Device(str(link))
        with device.superblock() as block:
            found = block.get('dataset') == name
        if found:
            return device
    return None


def _print_target(title: str, block: dict[str, Any]) -> None:
    target = block['target'].replace('-', ':' if block['firstTime'] else '-')
    print(f'\n   {title}:\nTarget:     {target}\nIndex:      {block["index"]}\nLustre FS:  {block["fsname"]}')
    print(f'Mount type: {block["backend"]}\nParameters: mgsnode={block["mgsnode"]}\n')
    sys.stdout.flush()


TOOLS = {'lfs': lfs, 'mkfs.lustre': mkfs, 'tunefs.lustre': tunefs, 'lctl': lctl, 'lnetctl': lnetctl}
