/** What the widget knows from its deployment. */
export interface Settings {
  readonly benchmark: string;
  /** Bucket of the reports, for the links to them. */
  readonly bucket: string;
  readonly region: string;
}
