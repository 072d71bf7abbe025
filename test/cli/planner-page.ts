import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Chromium, type Viewport } from '../helpers/chromium';

const ROOT = resolve(__dirname, '..', '..');
const POLL_MS = 20;
/** An end that no page at work reaches, however busy the machine is. */
const WAIT_MS = 600_000;

/** The page as `make planner` builds it. */
export function builtPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'planner-'));
  try {
    const file = join(folder, 'index.html');
    const tsx = join(ROOT, 'node_modules', '.bin', 'tsx');
    execFileSync(tsx, ['cli/planner/build.ts', '--no-open', '--out', file], { cwd: ROOT, stdio: 'pipe' });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the parts of a key press are called in the DevTools protocol. */
const KEYS = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  ArrowRight: { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 },
  ArrowDown: { key: 'ArrowDown', code: 'ArrowDown', windowsVirtualKeyCode: 40 },
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
} as const;

/** The planner's page in a browser, as a visitor uses it. */
export class PlannerPage {
  private constructor(private readonly browser: Chromium) {}

  static async start(program: string): Promise<PlannerPage> {
    return new PlannerPage(await Chromium.start(program));
  }

  stop(): Promise<void> {
    return this.browser.stop();
  }

  /** Opens it from a file, and waits for its first plan. */
  async open(html: string, viewport: Partial<Viewport> = {}): Promise<void> {
    await this.browser.open(html, { width: 1440, height: 900, ...viewport });
    await this.planned();
  }

  /** Opens it anew by a link. */
  async reopen(hash: string): Promise<void> {
    await this.run(`location.hash = ${JSON.stringify(hash)}`);
    await this.run('window.old = true; location.reload()');
    await this.until('!window.old');
    await this.planned();
  }

  /** What went wrong on the page, and what it asked the network for. */
  get complaints(): readonly string[] {
    return this.browser.complaints;
  }

  run<T>(expression: string): Promise<T> {
    return this.browser.evaluate<T>(expression);
  }

  /** Waits until an expression is true. */
  until(expression: string): Promise<void> {
    return this.wait(() => this.run<boolean>(`Boolean(${expression})`).catch(() => false), expression);
  }

  /** Waits for something that the page does outside of itself. */
  async wait(seen: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    while (!(await seen())) {
      if (Date.now() > deadline) throw new Error(`never seen: ${what}`);
      await new Promise((settle) => setTimeout(settle, POLL_MS));
    }
  }

  /** Types into a field, or chooses in a list, and waits for the plan that follows. */
  async enter(name: string, value: string): Promise<void> {
    await this.run(`performance.clearMarks();
      field = document.getElementById('${name}'); field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event('input', { bubbles: true }));`);
    await this.planned();
  }

  async press(key: keyof typeof KEYS): Promise<void> {
    await this.command('Input.dispatchKeyEvent', { type: 'keyDown', ...KEYS[key] });
    await this.command('Input.dispatchKeyEvent', { type: 'keyUp', ...KEYS[key] });
  }

  text(selector: string): Promise<string> {
    return this.run(`document.querySelector('${selector}').innerText`);
  }

  texts(selector: string): Promise<string[]> {
    return this.run(`[...document.querySelectorAll('${selector}')].map((one) => one.innerText.trim())`);
  }

  /** A command of the DevTools protocol. */
  // biome-ignore lint/suspicious/noExplicitAny: what the protocol answers has as many shapes as commands.
  command(method: string, params: object = {}): Promise<any> {
    // biome-ignore lint/complexity/useLiteralKeys: it is private, and tests of other pages do without it.
    return this.browser['send'](method, params);
  }

  private planned(): Promise<void> {
    return this.until(`performance.getEntriesByName('planner-updated').length`);
  }
}
