import type { Construct } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { BuiltImage } from './built-image';
import { checkBuild, DEFAULT_RELEASE } from './checks';
import { gridNode, releaseOf } from './contents';
import { lustreBuild } from './lustre-server-image';
import type { GridNodeImageProps } from './props';

/**
 * An image of grid nodes, built in your account: the client of the shared file system, what SAS 9.4 and LSF ask of a
 * host, and the host software of this library. SAS itself comes from your depot, by a component of your own.
 */
export class GridNodeImage extends BuiltImage {
  constructor(scope: Construct, id: string, props: GridNodeImageProps) {
    ({ props } = checkArguments('GridNodeImage', { scope, id, props }));
    checkBuild(scope, props, props.release, props.ownComponent);
    const client = props.lustreVersion === undefined ? undefined : lustreBuild(scope, props.lustreVersion);
    const release = props.release ?? (client && releaseOf(client)) ?? DEFAULT_RELEASE;
    super(scope, id, props);
    this._build(props, {
      kind: 'grid-node',
      release,
      contents: gridNode(release, client),
      steps: { kernel: false, lustre: client !== undefined, node: true },
      ownComponent: props.ownComponent,
    });
  }
}
