#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-nfs-archive: copies of an export in S3.

load helpers

setup() {
  make_host
  mkdir -p "$ROOT/export/sasdata"
  echo data >"$ROOT/export/sasdata/a.sas7bdat"
  echo "/dev/mapper/data $ROOT/export/sasdata ext4 rw 0 0" >"$ROOT/proc/mounts"
  printf 'SLOT=nfs-00\nEPOCH=2\nADDRESS=172.16.4.21\nVOLUMES=vol-0a\nINSTANCE=\n' >"$ROOT/etc/sas-grid/slot.env"
  answers true
  # What it does is in proof/localcloud/tests/test_nfs_archive.py.
  export SAS_GRID_ARCHIVER=$BATS_TEST_TMPDIR/archiver.py
  archiver 0
  stub getfacl 'echo "# file: ."'
  stub blkid 'echo 11111111-2222-3333-4444-555555555555'
  export COPIED=$BATS_TEST_TMPDIR/copied
}

# answers COMMAND: what aws does; a file that it copies is kept.
answers() {
  stub aws "[[ \$2 != cp ]] || gzip -dc \"\$3\" >\"\$COPIED\"
$1"
}

# archiver CODE: the program that copies the files ends so.
archiver() {
  printf '%s\n' 'import os, sys' \
    'open(os.environ["CALLS"], "a").write("archiver " + " ".join(sys.argv[1:6]) + "\n")' \
    'assert os.path.isdir(sys.argv[6])' "sys.exit($1)" >"$SAS_GRID_ARCHIVER"
}

archive() {
  run "$BIN/sas-grid-nfs-archive" /export/sasdata my-bucket backup/storage1 us-east-1 2.34.7
}

@test "owners and permissions are copied, then new and changed files" {
  archive
  exited 0
  same "aws s3 cp s3://my-bucket/backup/storage1/permissions-11111111-2222-3333-4444-555555555555.acl.gz \
--region us-east-1 --only-show-errors
archiver copy $ROOT/export/sasdata s3://my-bucket/backup/storage1 us-east-1 11111111-2222-3333-4444-555555555555
aws cloudwatch put-metric-data --region us-east-1 --namespace CdkSasGrid --metric-name ArchiveCompleted \
--dimensions Archive=my-bucket/backup/storage1 --unit Count --value 1" \
    "$(calls 'aws|archiver' | sed "s,s3 cp /[^ ]*,s3 cp,")"
  same 'getfacl -R -P -n -p .' "$(calls getfacl)"
  same '# file: .' "$(<"$COPIED")"
  same "blkid -p -s UUID -o value /dev/mapper/data" "$(calls blkid)"
  same '' "$(
    find "$ROOT/var/lib/sas-grid-archive" -mindepth 1 2>/dev/null
    find "$BATS_TEST_TMPDIR" -maxdepth 1 -name 'tmp.*'
  )"
}

@test "a hot spare, and a server that was not told its slot yet, have nothing to copy" {
  rm "$ROOT/etc/sas-grid/slot.env"
  archive
  exited 0
  same '' "$(calls 'aws|archiver')"
  echo KIND=instance-store | settings nfs-server
  archive
  exited 0
  [[ -n $(calls archiver) ]]
}

@test "without a folder for what is temporary nothing is copied to another place; what a killed run left goes" {
  : >"$ROOT/var"
  archive
  exited 1
  same '' "$(calls 'archiver|aws cloudwatch')"
  rm "$ROOT/var"
  mkdir -p "$ROOT/var/lib/sas-grid-archive/farm"
  archive
  exited 0
  [[ ! -e $ROOT/var/lib/sas-grid-archive ]]
}

@test "all of a list is restored, with its permissions" {
  stub setfacl 'cat >"$COPIED"'
  answers '[[ $4 != - ]] || echo "# file: ." | gzip'
  sed -i 's/gzip -dc/: &/' "$STUBS/aws"
  run "$BIN/sas-grid-nfs-archive" /export/sasdata my-bucket p us-east-1 2.34.7 restore \
    66666666-7777-8888-9999-000000000000
  exited 0
  same "archiver restore $ROOT/export/sasdata s3://my-bucket/p us-east-1 66666666-7777-8888-9999-000000000000" \
    "$(calls archiver)"
  same '# file: .' "$(<"$COPIED")"
  same 'setfacl --restore=-' "$(calls setfacl)"
  archiver 1
  run "$BIN/sas-grid-nfs-archive" /export/sasdata my-bucket p us-east-1 2.34.7 restore \
    66666666-7777-8888-9999-000000000000
  exited 1
  run "$BIN/sas-grid-nfs-archive" /export/sasdata my-bucket p us-east-1 2.34.7 remove all
  exited 64
}

@test "a server that starts empty writes a list of its own, and not over the one of the server before" {
  archive
  before=$(calls 'aws s3 cp' | grep -o 'permissions[^ ]*')
  : >"$CALLS"
  rm "$ROOT/export/sasdata/a.sas7bdat"
  stub blkid 'echo 66666666-7777-8888-9999-000000000000'
  archive
  exited 0
  [[ $(calls 'aws s3 cp' | grep -o 'permissions[^ ]*') != "$before" ]]
}

@test "files that went away meanwhile are no failure; a list that is cut short is not copied" {
  stub getfacl 'echo "# file: ."; exit 1'
  archive
  exited 0
  same '# file: .' "$(<"$COPIED")"
  : >"$CALLS"
  stub getfacl 'echo "# file: ."; exit 137'
  archive
  exited 1
  same '' "$(calls 'aws s3 cp')"
  # The files are copied all the same, and nothing is called complete.
  [[ -n $(calls archiver) && -z $(calls 'aws cloudwatch') ]]
  : >"$CALLS"
  stub getfacl
  stub blkid 'exit 2'
  archive
  exited 1
  same '' "$(calls 'aws s3 cp')"
}

@test "an export that is not mounted is not taken for an empty one" {
  : >"$ROOT/proc/mounts"
  archive
  exited 1
  [[ $output == *'/export/sasdata is not mounted: nothing was copied'* ]]
  same '' "$(calls aws)"
}

@test "files that could not be copied are an error" {
  archiver 1
  archive
  exited 1
  [[ $output == *'some files of /export/sasdata were not copied'* ]]
  same '' "$(calls 'aws cloudwatch')"
}

@test "only a run that copied all tells CloudWatch, and a CloudWatch that does not answer is no failed copy" {
  answers '[[ $1 != cloudwatch ]] || exit 255'
  archive
  exited 0
  [[ $output == *'CloudWatch was not told'* ]]
  : >"$CALLS"
  answers '[[ $2 != cp ]] || exit 1'
  archive
  exited 1
  same '' "$(calls 'aws cloudwatch')"
}

@test "a run beside another one leaves it alone" {
  mkdir -p "$ROOT/run/sas-grid"
  exec 8>"$ROOT/run/sas-grid/archive.lock"
  flock 8
  archive
  exited 0
  same '' "$(calls aws)"
  exec 8>&-
}

@test "a host without an AWS CLI gets AWS's own of the version that was named" {
  mv "$STUBS/aws" "$BATS_TEST_TMPDIR/aws"
  stub uname 'echo x86_64'
  # The installer puts the program where the host looks for it.
  stub unzip 'mkdir -p "$4/aws" &&
    printf "#!/bin/bash\ncp %q %q\n" "${STUBS%/*}/aws" "$STUBS/aws" >"$4/aws/install" && chmod +x "$4/aws/install"'
  PATH=$STUBS:/usr/bin:/bin archive
  exited 0
  calls curl | grep -q 'https://awscli.amazonaws.com/awscli-exe-linux-x86_64-2.34.7.zip$'
  calls aws | grep -q 's3 cp'
}

@test "it runs as Systems Manager runs it: from a file descriptor, with the libraries elsewhere" {
  export SAS_GRID_LIB=$REPOSITORY/constructs/host/lib
  run sh -c "exec bash /dev/fd/3 /export/sasdata my-bucket p us-east-1 2.34.7 3<<'PROGRAM'
$(<"$BIN/sas-grid-nfs-archive")
PROGRAM"
  exited 0
  calls archiver | grep -q 's3://my-bucket/p '
}

@test "other arguments are refused" {
  run "$BIN/sas-grid-nfs-archive" /export/sasdata
  exited 64
}
