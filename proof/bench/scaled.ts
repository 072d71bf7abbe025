import { App } from 'aws-cdk-lib';
import { loadConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';

/** The deployment that is made larger. */
export const SCALED = 'sas-grid-lustre';

/** The reference deployment on Lustre with so many object storage servers, and a subnet that has addresses for them. */
export function scaledConfig(servers: number, volumesPerServer = 8): DeploymentConfig {
  const config = loadConfig(SCALED);
  return {
    ...config,
    network: { ...config.network, privateSubnetCidr: '172.16.4.0/22' },
    // Who measures this builds no image.
    storage: {
      ...config.storage!,
      image: undefined,
      oss: { ...config.storage!.oss, count: servers, volumesPerServer },
    },
  };
}

/** Composes and synthesizes it into a folder, without the validation of templates, which the command line does. */
export function synthesizeScaled(config: DeploymentConfig, outdir?: string): App {
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  createDeployment(app, SCALED, config, 'no record');
  app.synth();
  return app;
}

/** Seconds of this process's own computing, which a machine with other work on it does not stretch much. */
export function computingSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
