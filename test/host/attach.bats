#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-attach: what it attaches, what it waits for, and that it never detaches. EC2 is a module that keeps its state
# in files.

load helpers

setup() {
  make_host
  settings shared-volumes <<'END'
REGION=eu-west-1
INTERFACE=eni-0a
VOLUMES=vol-0a,vol-0b
END
  stub curl 'case ${*: -1} in */instance-id) echo i-0new ;; esac'
  boto=$ROOT/usr/lib/fence-agents/bundled/aws
  mkdir -p "$boto/botocore" "$BATS_TEST_TMPDIR/ec2"
  export EC2=$BATS_TEST_TMPDIR/ec2
  : >"$boto/botocore/__init__.py"
  cat >"$boto/botocore/exceptions.py" <<'END'
class ClientError(Exception):
    def __init__(self, message):
        super().__init__(message)
        self.response = {'Error': {'Message': message, 'Code': message.split()[0]}}
END
  cat >"$boto/boto3.py" <<'END'
import os
from botocore.exceptions import ClientError

EC2, CALLS = os.environ['EC2'], os.environ['CALLS']


def lines(name):
    path = os.path.join(EC2, name)
    return [line.split() for line in open(path)] if os.path.exists(path) else []


class Client:
    def __getattr__(self, action):
        def call(**arguments):
            with open(CALLS, 'a') as calls:
                calls.write('ec2 {} {}\n'.format(action, ' '.join(str(each) for each in arguments.values())))
            for name, message in lines('refused'):
                if name in arguments.values():
                    raise ClientError(message)
            if action.startswith('attach'):
                instance, name = arguments['InstanceId'], arguments.get('VolumeId') or arguments['NetworkInterfaceId']
                with open(os.path.join(EC2, name), 'a') as file:
                    file.write(instance + ' attached\n')
        return call

    def describe_network_interfaces(self, NetworkInterfaceIds):
        found = [{'InstanceId': i, 'Status': s} for i, s in lines(NetworkInterfaceIds[0])]
        return {'NetworkInterfaces': [dict({'Attachment': found[-1]} if found else {})]}

    def describe_volumes(self, VolumeIds):
        return {
            'Volumes': [
                {'VolumeId': v, 'Attachments': [{'InstanceId': i, 'State': s} for i, s in lines(v)]}
                for v in reversed(VolumeIds)
            ]
        }


def client(service, region_name):
    assert service in ('ec2', 'cloudformation') and region_name == 'eu-west-1'
    return Client()
END
}

@test "attaches the volumes under names of their own, and the interface as the second one" {
  run "$BIN/sas-grid-attach"
  exited 0
  same 'ec2 attach_network_interface i-0new eni-0a 1
ec2 attach_volume i-0new vol-0a /dev/sdf
ec2 attach_volume i-0new vol-0b /dev/sdg' "$(calls ec2)"
}

@test "what is attached, or on its way, is left alone" {
  echo 'i-0new attaching' >"$EC2/vol-0a"
  printf 'i-0other attached\ni-0new attached\n' >"$EC2/vol-0b"
  echo 'i-0new attached' >"$EC2/eni-0a"
  run "$BIN/sas-grid-attach"
  exited 0
  same '' "$(calls ec2)"
}

@test "volumes that others have are attached as well" {
  printf 'i-0a attached\ni-0b detaching\n' | tee "$EC2/vol-0a" >"$EC2/vol-0b"
  run "$BIN/sas-grid-attach"
  exited 0
  same 2 "$(calls 'ec2 attach_volume' | wc -l)"
}

@test "an interface that another instance has is waited for, never taken; the volumes come meanwhile" {
  echo 'i-0old attached' >"$EC2/eni-0a"
  run "$BIN/sas-grid-attach"
  exited 75
  [[ $output == *'eni-0a is with i-0old'* ]]
  same '' "$(calls 'ec2 (attach_network|detach)')"
  same 2 "$(calls 'ec2 attach_volume' | wc -l)"
  rm "$EC2/eni-0a"
  run "$BIN/sas-grid-attach"
  exited 0
  [[ $(calls 'ec2 attach_network') == *eni-0a* ]]
}

@test "one that EC2 refuses does not keep the others from being attached, and is tried again" {
  echo 'vol-0a AttachmentLimitExceeded' >"$EC2/refused"
  run "$BIN/sas-grid-attach"
  exited 75
  [[ $output == *'vol-0a: AttachmentLimitExceeded'* && $(calls 'ec2 attach_volume') == *vol-0b* ]]
  (sleep 0.3 && rm "$EC2/refused") &
  SAS_GRID_WAIT=20 run "$BIN/sas-grid-attach"
  exited 0
}

@test "--mounted tells the deployment that waits; one that does not wait any more is no error" {
  run "$BIN/sas-grid-attach" --mounted
  exited 0
  same '' "$(calls ec2)"
  printf 'SIGNAL_STACK=arn:stack\nSIGNAL_RESOURCE=Mounted\nNODE=node1\n' >>"$ROOT/etc/sas-grid/shared-volumes.env"
  run "$BIN/sas-grid-attach" --mounted
  exited 0
  same 'ec2 signal_resource arn:stack Mounted node1 SUCCESS' "$(calls ec2)"
  echo 'node1 ValidationError' >"$EC2/refused"
  run "$BIN/sas-grid-attach" --mounted
  exited 0
  echo 'node1 Throttling' >"$EC2/refused"
  run "$BIN/sas-grid-attach" --mounted
  exited 75
}

@test "no program of Python is called like a module of it, which it would hide" {
  for file in "$REPOSITORY"/constructs/host/lib/*.py; do
    name=$(basename "$file" .py)
    (cd / && ! python3 -c "import $name" 2>/dev/null) || { echo "$name hides a module" >&2 && return 1; }
  done
}
