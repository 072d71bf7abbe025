/** Lines, of which the oldest go when there are too many bytes of them. */
export class Newest {
  private lines: string[] = [];
  private sizes: number[] = [];
  private bytes = 0;
  private first = 0;

  constructor(private readonly most: number) {}

  /** Whether some are gone. */
  get cut(): boolean {
    return this.first > 0;
  }

  add(line: string): void {
    const size = Buffer.byteLength(line);
    this.lines.push(line);
    this.sizes.push(size);
    this.bytes += size;
    while (this.bytes > this.most && this.first < this.lines.length - 1) {
      this.bytes -= this.sizes[this.first]!;
      this.lines[this.first] = '';
      this.first += 1;
    }
  }

  text(): string {
    return this.lines.slice(this.first).join('');
  }
}
