/** The file system underneath Lustre's targets. */
export enum LustreBackend {
  /** A patched ext4, the papers' backend. Fast; the volume is only as safe as EBS and the journal make it. */
  LDISKFS = 'ldiskfs',
  /** ZFS: checksums on everything and no patched kernel, at the price of memory and of slower small writes. */
  ZFS = 'zfs',
}
