import { checkArguments } from '../private/inputs/check';
import { LustreBackend } from './backend';

/** A Lustre parameter, as `lctl set_param` takes it. */
export interface LustreParameter {
  /** Its name, for example `osc.*.max_rpcs_in_flight`. */
  readonly name: string;

  /** Its value, for example `16`. */
  readonly value: string;
}

/** The parameters that the papers set, in the order in which they must be set. */
export class LustreTuning {
  /**
   * Object storage servers: caches on, but no file larger than 2 MiB stays in them (papers 000 and 001). That is a cap:
   * larger files bypass the cache, which leaves it to small, hot files.
   *
   * The papers' Lustre 2.5 has these under `obdfilter.*`; today's has them under the backend's name, and ZFS has the
   * first one only.
   */
  static papersServer(backend: LustreBackend): LustreParameter[] {
    ({ backend } = checkArguments('LustreTuning.papersServer', { backend }));
    const cap = { name: `osd-${backend}.*.readcache_max_filesize`, value: '2M' };
    if (backend === LustreBackend.ZFS) return [cap];
    return [
      { name: 'osd-ldiskfs.*.read_cache_enable', value: '1' },
      { name: 'osd-ldiskfs.*.writethrough_cache_enable', value: '1' },
      cap,
    ];
  }

  /** Clients: 16 requests in flight and 256 MB of dirty data per target (papers 000 and 001). */
  static papersClient(): LustreParameter[] {
    return [
      // First: the other way round a client with little memory lowers max_dirty_mb to what it thinks 8 requests need.
      { name: 'osc.*.max_rpcs_in_flight', value: '16' },
      { name: 'osc.*.max_dirty_mb', value: '256' },
    ];
  }

  private constructor() {}
}
