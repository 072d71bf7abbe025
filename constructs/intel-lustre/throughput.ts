import { Annotations, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { devicesOf } from '../private/server-bandwidth';
import { invalid, isConcrete } from '../private/validation';
import { serversNeeded, throughputText } from '../sizing';
import type { LustreServers } from './preset';
import type { IntelLustreProps } from './props';
import { MAX_OSS } from './tiers';

// 10 TB/s: more is a mistake in the unit.
const MOST_MBPS = 10_000_000;

/**
 * The preset with as many object storage servers as the throughput takes that is wanted; the preset as it is where none
 * is wanted.
 *
 * @throws when nobody can say how many that is, or when they are more than a file system can have
 */
export function sizedForThroughput(
  scope: IConstruct,
  preset: LustreServers,
  { oss = {}, throughputMBps: wanted }: IntelLustreProps,
): LustreServers {
  const { serverCount } = oss;
  if (wanted === undefined || (Token.isUnresolved(wanted) && serverCount !== undefined)) return preset;
  if (Token.isUnresolved(wanted)) {
    const fix = 'Spell it out, or name oss.serverCount: it decides how many servers there are.';
    throw invalid(scope, 'throughputMBps', 'a token', 'a number known at synthesis', fix);
  }
  if (!(wanted > 0 && wanted <= MOST_MBPS)) {
    const fix = 'It is in MB/s: 10^6 bytes a second for all clients together.';
    throw invalid(scope, 'throughputMBps', wanted, `above 0, up to ${MOST_MBPS}`, fix);
  }
  const type = (oss.instanceType ?? preset.instanceType).toString();
  const volume = oss.volume ?? preset.volume;
  const count = oss.volumesPerServer ?? preset.volumesPerServer;
  // Rejected where they are checked, which is later.
  if (!Number.isInteger(count) || count < 1) return preset;
  const devices = (devicesOf([volume]) ?? []).map((one) => ({ ...one, count }));
  const { servers, eachMBps, limit, unknown } = devices.length
    ? serversNeeded({ serverType: isConcrete(type) ? type : undefined, devices }, wanted)
    : { unknown: ['How fast the volumes are is known only at deployment.'] };
  if (serverCount !== undefined) {
    if (isConcrete(serverCount) && servers !== undefined && serverCount < servers) {
      Annotations.of(scope).addWarningV2(
        'cdk-sas-grid:tooFewServers',
        `${serverCount} object storage ${serverCount === 1 ? 'server gives' : 'servers give'} ` +
          `${throughputText(serverCount * eachMBps!)}; the throughputMBps of ${wanted} needs ${servers} ` +
          `(${limit!.text}).`,
      );
    }
    return preset;
  }
  if (servers === undefined) {
    const allowed =
      `a wish for servers and volumes that this library knows; it does not know ${type} with ${count} ` +
      `${volume.volumeType}`;
    const fix = `Name oss.serverCount. ${unknown.join(' ')}`;
    throw invalid(scope, 'throughputMBps', wanted, allowed, fix);
  }
  if (servers > MAX_OSS) {
    const most =
      `up to ${Math.round(MAX_OSS * eachMBps!)}, what ${MAX_OSS} object storage servers give ` +
      `(${limit!.text})`;
    throw invalid(scope, 'throughputMBps', wanted, most, 'Use larger servers or faster volumes.');
  }
  Annotations.of(scope).addInfoV2(
    'cdk-sas-grid:sizedForThroughput',
    `${servers} object storage ${servers === 1 ? 'server' : 'servers'} for ${wanted} MB/s (${limit!.text}). ` +
      `Name oss.serverCount: ${servers} once there is data, so that nothing else ever makes them fewer.`,
  );
  return { ...preset, serverCount: servers };
}
