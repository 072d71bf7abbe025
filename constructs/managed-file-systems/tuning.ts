import type { LustreParameter } from '../intel-lustre';

/** The parameters that AWS publishes for clients of FSx for Lustre. */
export class FsxLustreTuning {
  /**
   * More requests in flight than Lustre's defaults, for data and metadata ("Performance tips" of the FSx for Lustre
   * guide), in the order in which they must be set: modifying requests are never more than all requests.
   */
  static awsClient(): LustreParameter[] {
    return [
      { name: 'osc.*OST*.max_rpcs_in_flight', value: '32' },
      { name: 'mdc.*.max_rpcs_in_flight', value: '64' },
      { name: 'mdc.*.max_mod_rpcs_in_flight', value: '50' },
    ];
  }

  private constructor() {}
}
