import { type CdkSettings, cdk } from '../../proof/kit/cdk';
import { type Clients, connect } from '../../proof/kit/clients';
import { startLocalCloud } from '../../proof/kit/localcloud';
import { DemoError, stop } from '../../proof/kit/processes';

/** Where an embedded AWS runs. */
export type CloudSettings = Omit<CdkSettings, 'cloud'> & { readonly state: string };

/** Does some work on an embedded AWS of its own, bootstrapped. An error when that ends before the work does. */
export async function onCloud<T>(
  { state, ...settings }: CloudSettings,
  work: (on: CdkSettings, clients: Clients) => Promise<T>,
): Promise<T> {
  const { root, out } = settings;
  const cloud = await startLocalCloud(root, '.venv/bin/python', state, out);
  const ended = cloud.process.ended.then((code) => {
    throw new DemoError(`the embedded AWS ended with code ${code}; its log is in ${out}`);
  });
  ended.catch(() => undefined);
  const on = { ...settings, cloud };
  const bootstrapped = async () => {
    const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = cloud.environment;
    await cdk(on, 'bootstrap', ['bootstrap', `aws://${account}/${region}`], undefined, out);
    return work(on, connect(cloud));
  };
  const result = await Promise.race([bootstrapped(), ended]);
  await stop(cloud.process);
  return result;
}
