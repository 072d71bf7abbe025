import type { Construct } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { BuiltImage } from './built-image';
import { checkBuild, DEFAULT_RELEASE } from './checks';
import { storageServer } from './contents';
import type { StorageServerImageProps } from './props';

/**
 * An image of storage servers without Lustre, built in your account: what `NfsStorageServer` and a single host with io2
 * volumes need is there, so that a launch installs nothing.
 */
export class StorageServerImage extends BuiltImage {
  constructor(scope: Construct, id: string, props: StorageServerImageProps) {
    ({ props } = checkArguments('StorageServerImage', { scope, id, props }));
    checkBuild(scope, props, props.release);
    const release = props.release ?? DEFAULT_RELEASE;
    super(scope, id, props);
    this._build(props, {
      kind: 'storage-server',
      release,
      contents: storageServer(release),
      steps: { kernel: false, lustre: false, node: false },
    });
  }
}
