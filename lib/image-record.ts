import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ImageSoftware, RecordedPackage } from '../constructs';

/** Hosts that an image is built for. */
export type ImageUse = 'storage' | 'grid';

/** An image that a pipeline has built. */
export interface BuiltImageRecord {
  readonly imageId: string;
  /** When it was ready, as AWS says. */
  readonly built: string;
  /** Its host software, where it is known. */
  readonly software?: ImageSoftware;
  /** A later build, which nobody has adopted. */
  readonly newer?: { readonly imageId: string; readonly built: string };
}

/** The images of a deployment, and what mirrors recorded for them. */
export interface ImageRecord {
  readonly images: { readonly [use in ImageUse]?: BuiltImageRecord };
  /** By the image they are for: `lustre-server/9.7`. */
  readonly packages?: { readonly [set: string]: readonly RecordedPackage[] };
}

export const readImages = (file: string): ImageRecord =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ImageRecord) : { images: {} };

export function writeImages(file: string, record: ImageRecord): void {
  // In one step: half a record would stop every synthesis.
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(written, file);
}
