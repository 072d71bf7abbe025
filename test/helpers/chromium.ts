import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A browser for tests of pages: headless Chromium, spoken to in its DevTools protocol over two pipes, so that no port
 * is opened.
 */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const ANSWER_MS = 600_000;
/** Chromium has a socket in its temporary folder, whose path has at most 107 characters (unix(7)): else it ends. */
const SHORT = '/tmp';

/** The browser of this machine; undefined where there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export interface Viewport {
  readonly width: number;
  readonly height: number;
  /** Pixels of the screen for one of the page: 4 at a zoom of 400 %. */
  readonly scale?: number;
  readonly dark?: boolean;
  readonly print?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: what the protocol answers has as many shapes as commands.
type Answer = any;

export class Chromium {
  /** What pages wrote to the console, or did wrong, since the last one was opened. */
  readonly complaints: string[] = [];
  private readonly waiting = new Map<
    number,
    { resolve: (answer: Answer) => void; reject: (error: Error) => void }
  >();
  private readonly events = new Map<string, () => void>();
  private next = 1;
  private rest = '';
  private session = '';

  private constructor(
    private readonly process: ChildProcess,
    private readonly profile: string,
  ) {
    const output = process.stdio[4] as NodeJS.ReadableStream;
    output.setEncoding('utf8').on('data', (text: string) => this.read(text));
    process.on('exit', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('the browser has ended'));
    });
  }

  static async start(program: string): Promise<Chromium> {
    const profile = mkdtempSync(join(SHORT, 'sas-grid-chromium-'));
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
    const child = spawn(
      program,
      [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
      // In a group of its own: what it starts goes with it, and writes to the profile no more.
      {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
        detached: true,
        env: { ...process.env, TMPDIR: profile },
      },
    );
    const browser = new Chromium(child, profile);
    try {
      const { targetInfos } = await browser.send('Target.getTargets');
      const { targetId } = targetInfos.find(({ type }: { type: string }) => type === 'page');
      browser.session = (await browser.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
      for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await browser.send(`${domain}.enable`);
    } catch (error) {
      await browser.stop();
      throw error;
    }
    return browser;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    if (this.process.exitCode === null && this.process.signalCode === null) {
      process.kill(-this.process.pid!, 'SIGKILL');
      await ended;
    }
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** Opens a page that is given as text. */
  async open(
    html: string,
    { width, height, scale = 1, dark = false, print = false }: Viewport,
  ): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: scale,
      mobile: false,
    });
    await this.send('Emulation.setEmulatedMedia', {
      media: print ? 'print' : '',
      features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
    });
    const file = join(this.profile, 'page.html');
    writeFileSync(file, html);
    this.complaints.length = 0;
    const loaded = new Promise<void>((resolve) => this.events.set('Page.loadEventFired', resolve));
    await this.send('Page.navigate', { url: pathToFileURL(file).href });
    await loaded;
  }

  /** The value of an expression on the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** The whole page as a picture (PNG). */
  async picture(): Promise<Buffer> {
    const { cssContentSize } = await this.send('Page.getLayoutMetrics');
    const clip = { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 };
    const { data } = await this.send('Page.captureScreenshot', { clip, captureBeyondViewport: true });
    return Buffer.from(data, 'base64');
  }

  /** The page on paper of the size A4. */
  async pdf(): Promise<Buffer> {
    const { data } = await this.send('Page.printToPDF', {
      paperWidth: 8.27,
      paperHeight: 11.69,
      printBackground: false,
      preferCSSPageSize: true,
    });
    return Buffer.from(data, 'base64');
  }

  private send(method: string, params: object = {}): Promise<Answer> {
    const id = this.next++;
    const session = this.session === '' ? {} : { sessionId: this.session };
    const input = this.process.stdio[3] as NodeJS.WritableStream;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method} was not answered`)), ANSWER_MS);
      const settled =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(late);
          this.waiting.delete(id);
          then(value);
        };
      this.waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      input.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    });
  }

  /** Messages end with a zero byte. */
  private read(text: string): void {
    const messages = (this.rest + text).split('\0');
    this.rest = messages.pop() ?? '';
    for (const message of messages) this.hear(JSON.parse(message));
  }

  private hear({ id, method, params, result, error }: Answer): void {
    if (id !== undefined) {
      const waiting = this.waiting.get(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
      return;
    }
    this.events.get(method)?.();
    if (
      method === 'Log.entryAdded' ||
      method === 'Runtime.consoleAPICalled' ||
      method === 'Runtime.exceptionThrown'
    )
      this.complaints.push(JSON.stringify(params.entry ?? params));
    if (method === 'Network.requestWillBeSent' && !/^(file|data):/.test(params.request.url))
      this.complaints.push(`asked for ${params.request.url}`);
  }
}
