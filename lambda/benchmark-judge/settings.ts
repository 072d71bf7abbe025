/** What the function knows from its deployment and its event. */
export interface Settings {
  readonly bucket: string;
  readonly region: string;
  readonly dashboardUrl?: string;
}
