/** Reads environment variables that the constructs set; an error names the one that is missing or wrong. */
export class EnvironmentReader {
  constructor(private readonly env: { readonly [name: string]: string | undefined }) {}

  text(name: string): string {
    const value = this.env[name];
    if (!value) throw new Error(`environment variable ${name} is missing; the construct sets it`);
    return value;
  }

  count(name: string, least = 1): number {
    const value = Number(this.text(name));
    if (!Number.isInteger(value) || value < least)
      throw new Error(`environment variable ${name} is not a whole number from ${least} up`);
    return value;
  }
}
