import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIELDS } from '../../cli/planner/page/fields';
import { parseConfig } from '../../lib/config';
import { findChromium } from '../helpers/chromium';
import { builtPage, PlannerPage } from './planner-page';

const chromium = findChromium();
if (!chromium) console.warn('no Chromium here: the tests of the page in a browser are skipped');
const inBrowser = chromium ? describe : describe.skip;
const LARGEST_BYTES = 500_000;
const INTERACTION_MS = 100;

const html = builtPage();

test('the page carries the licences of what is bundled into it', () => {
  for (const one of ['d3-scale', 'd3-shape', 'Mike Bostock', '@picocss/pico', 'MIT License'])
    expect(html).toContain(one);
});

test('the page is one file of less than 500 kB that lets nothing in from outside', () => {
  expect(Buffer.byteLength(html)).toBeLessThan(LARGEST_BYTES);
  expect(html).toMatch(/Content-Security-Policy" content="default-src 'none';/);
  expect(html).not.toMatch(/<(script|link|img|iframe)[^>]+(src|href)="(?!data:)/);
});

inBrowser('the page in a browser', () => {
  let page: PlannerPage;
  beforeAll(async () => {
    page = await PlannerPage.start(chromium!);
  });
  afterAll(() => page.stop());
  afterEach(() => expect(page.complaints).toEqual([]));

  const titles = () => page.texts('#rows th label');
  const costs = async () =>
    (await page.texts('#rows summary')).map((text) =>
      text.startsWith('$') ? Number(text.replace(/\D/g, '')) : Infinity,
    );

  test('opens from a file with a plan, and asks for nothing', async () => {
    await page.open(html);
    expect((await titles()).length).toBeGreaterThan(5);
    const [cheapest] = await page.texts('#rows tr:has(.badge.cheapest) label');
    expect(await page.text('#best-title')).toBe(cheapest);
    expect(await page.run('performance.getEntriesByType("resource").length')).toBe(0);
    expect(await page.text('#prices')).toMatch(/us-east-1 in USD: EC2 of \d{4}-\d\d-\d\d/);
  });

  test('what is wanted changes what is shown', async () => {
    await page.open(html);
    const before = await page.text('#rows');
    await page.enter('shared', '150');
    expect(await page.text('#wanted')).toContain('9,600 MB/s');
    expect(await page.text('#rows')).not.toBe(before);
    await page.run('document.getElementById("impossible").open = true');
    await page.enter('durability', 'region');
    expect(await page.texts('#impossible-list dd')).toContainEqual(
      expect.stringMatching(/'region' is wanted/),
    );
    expect(await titles()).not.toContain('Lustre on EC2, gp3');
    await page.enter('shared', '50');
    await page.enter('region', 'eu-north-1');
    expect(await page.text('#best-title')).toBe('No price is known');
    expect(await page.text('#notes')).toContain('no prices for eu-north-1');
    await page.enter('type', 'm5.xlarge');
    await page.enter('shared', '100000');
    expect(await page.text('#no-designs')).toBe('No design does what is wanted.');
    expect(await page.text('#temporary-verdict')).toBe('not enough');
  });

  test('a mistake is told at its field, and the results are marked as those of before', async () => {
    await page.open(html);
    const before = await page.text('#rows');
    await page.enter('nodes', '-3');
    expect(await page.text('#nodes-problem')).toMatch(/-3\. Allowed: a whole number from 1/);
    expect(await page.run('document.getElementById("nodes").getAttribute("aria-invalid")')).toBe('true');
    expect(await page.text('#stale')).toMatch(/of before/);
    expect(await page.text('#rows')).toBe(before);
    expect(await page.run('document.getElementById("download").disabled')).toBe(true);
    await page.enter('nodes', '3');
    expect(await page.text('#nodes-problem')).toBe('');
    expect(await page.run('document.getElementById("stale").hidden')).toBe(true);
  });

  test('the table is sorted by what is asked, and opened bills stay open', async () => {
    await page.open(html);
    expect(await costs()).toEqual([...(await costs())].sort((a, b) => a - b));
    await page.run('document.querySelector("#rows details").open = true');
    const [opened] = await titles();
    expect((await page.text('#rows details[open]')).match(/\$/g)!.length).toBeGreaterThan(1);
    await page.run('document.querySelector("th.title button").click()');
    expect(await titles()).toEqual([...(await titles())].sort());
    await page.run('document.querySelector("th.read button").click()');
    const speeds = (await page.texts('#rows td:nth-child(3) strong')).map((text) =>
      Number(text.replace(/\D/g, '')),
    );
    expect(speeds).toEqual([...speeds].sort((a, b) => b - a));
    expect(await page.run('document.querySelector("th.read").getAttribute("aria-sort")')).toBe('descending');
    await page.enter('capacity', '60');
    expect(await page.texts('#rows tr:has(details[open]) label')).toEqual([opened]);
  });

  test('the chosen design: its limits, the one that decides, and its configuration as a file', async () => {
    await page.open(html);
    await page.run('document.querySelector(\'input[value="lustre-gp3"]\').click()');
    expect(await page.text('#chosen-title')).toBe('Lustre on EC2, gp3');
    const label = await page.run<string>(
      'document.getElementById("limits-chart").getAttribute("aria-label")',
    );
    expect(label).toMatch(/4,800 MB\/s are wanted.*(EBS bandwidth|volumes): [\d,]+ MB\/s, which decides/);
    await page.run('document.querySelector("#chosen details").open = true');
    expect(await page.text('#limits-rows')).toMatch(/servers x \d+ MB\/s/);

    const folder = mkdtempSync(join(tmpdir(), 'planner-'));
    try {
      await page.command('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
      await page.run('document.getElementById("download").click()');
      const file = join(folder, 'planned-lustre-gp3.yaml');
      await page.wait(() => existsSync(file), `a download to ${file}`);
      expect(parseConfig(readFileSync(file, 'utf8'), file)).toMatchObject({
        storage: { preset: 'current' },
        grid: { nodes: 4, instanceType: 'i4i.8xlarge' },
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    await page.run('document.querySelector(\'input[value="fsx-openzfs"]\').click()');
    expect(await page.text('#configuration-text')).toMatch(/no reference deployment with FSx for OpenZFS/);
    expect(await page.run('document.getElementById("download").hidden')).toBe(true);
  });

  test('a link restores what was filled in and chosen', async () => {
    await page.open(html);
    await page.enter('nodes', '6');
    await page.enter('reads', '80');
    await page.enter('availability', 'standby');
    await page.enter('clients', '');
    await page.run('document.querySelector(\'input[value="fsx-ontap"]\').click()');
    await page.until('location.hash.includes("fsx-ontap")');
    const [hash, rows] = [await page.run<string>('location.hash'), await page.text('#rows')];
    await page.open(html);
    expect(await page.text('#rows')).not.toBe(rows);
    await page.reopen(hash);
    expect(await page.text('#rows')).toBe(rows);
    expect(await page.text('#chosen-title')).toBe('FSx for NetApp ONTAP');
    expect(await page.run('document.getElementById("reads").value')).toBe('80');
  });

  test.each([
    '#nodes=abc&shared=%00&x=1',
    '#%E0%A4%A',
    '#durability=<b>&region=nowhere',
    `#nodes=${'9'.repeat(6000)}`,
  ])('a link of garbage does no harm, %#', async (hash) => {
    await page.open(html);
    await page.reopen(hash);
    expect((await titles()).length + (await page.text('#stale')).length).toBeGreaterThan(0);
    await page.run('document.getElementById("reset").click()');
    expect((await titles()).length).toBeGreaterThan(5);
    expect(await page.run('document.getElementById("stale").hidden')).toBe(true);
  });

  test('the link is copied, or shown where the browser does not let it', async () => {
    await page.open(html);
    await page.enter('nodes', '5');
    await page.run('document.getElementById("copy").click()');
    await page.until('document.getElementById("copied").textContent');
    const link = await page.run<string>('document.getElementById("link").value');
    expect(link).toMatch(/^file:.*#nodes=5&type=i4i\.8xlarge&/);
  });

  test('a keyboard reaches every control, shows where it is, and works them', async () => {
    await page.open(html);
    await page.run(`document.querySelectorAll('details').forEach((one) => { one.open = true; });
      every = [...document.querySelectorAll('a[href], button, input, select, summary')]
        .filter((one) => one.checkVisibility() && (one.type !== 'radio' || one.checked));
      reached = new Set(); unmarked = [];`);
    const count = await page.run<number>('every.length');
    for (let presses = 0; presses < count + 10; presses++) {
      await page.press('Tab');
      await page.run(`{ const at = document.activeElement; reached.add(at);
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        if (at !== document.body && (outlineStyle === 'none' || outlineWidth === '0px'))
          unmarked.push(at.outerHTML.slice(0, 80)); }`);
    }
    const name = '(one) => one.outerHTML.slice(0, 80)';
    expect(await page.run(`every.filter((one) => !reached.has(one)).map(${name})`)).toEqual([]);
    expect(await page.run('unmarked')).toEqual([]);

    await page.run(
      `document.querySelector('#shared').closest('.field').querySelector('[type=range]').focus()`,
    );
    await page.press('ArrowRight');
    await page.until('document.getElementById("shared").value === "80"');
    await page.until('document.getElementById("wanted").textContent.includes("5,120 MB/s")');
    await page.run('document.querySelector("#rows [type=radio]:checked").focus()');
    const before = await page.text('#chosen-title');
    await page.press('ArrowDown');
    expect(await page.text('#chosen-title')).not.toBe(before);
    await page.run('document.querySelector("th.cost button").focus()');
    await page.press('Enter');
    expect(await page.run('document.querySelector("th.cost").getAttribute("aria-sort")')).toBe('descending');
  });

  test('a screen reader hears a name for every control, and the table as one', async () => {
    await page.open(html, { width: 320 });
    await page.command('Accessibility.enable');
    const { nodes } = await page.command('Accessibility.getFullAXTree');
    type Node = {
      ignored: boolean;
      role?: { value: string };
      name?: { value: string };
      properties?: object[];
    };
    const shown = (nodes as Node[]).filter(({ ignored }) => !ignored);
    const named = [
      'spinbutton',
      'textbox',
      'combobox',
      'slider',
      'button',
      'radio',
      'image',
      'img',
      'table',
      'form',
    ];
    const controls = shown.filter(({ role }) => named.includes(role?.value ?? ''));
    expect(controls.length).toBeGreaterThan(FIELDS.length + 10);
    expect(controls.filter(({ name }) => !name?.value)).toEqual([]);
    const roles = shown.map(({ role }) => role?.value);
    expect(roles.filter((role) => role === 'rowheader')).toHaveLength((await titles()).length);
    expect(roles).toContain('columnheader');
  });

  test('a point of the cost chart says what it is, and a click chooses its design', async () => {
    await page.open(html);
    const { x, y } = await page.run<{ x: number; y: number }>(`(() => {
      const point = [...document.querySelectorAll('#cost-chart [data-id="lustre-gp3"]')].at(-1);
      point.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = point.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    })()`);
    const mouse = (type: string) =>
      page.command('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    await mouse('mouseMoved');
    expect(await page.text('#cost-chart + .tip')).toMatch(
      /^Lustre on EC2, gp3: [\d,]+ MB\/s, \$[\d,]+ a month$/,
    );
    expect(await page.run(`document.querySelector('#cost-chart + .tip').checkVisibility()`)).toBe(true);
    await mouse('mousePressed');
    await mouse('mouseReleased');
    expect(await page.text('#chosen-title')).toBe('Lustre on EC2, gp3');
    await page.command('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y: 1 });
    expect(await page.run(`document.querySelector('#cost-chart + .tip').hidden`)).toBe(true);
  });

  test('charts fill the room that there is, also when it changes', async () => {
    await page.open(html);
    const drawn = () =>
      page.run<number[]>(
        `[...document.querySelectorAll('.chart svg')].map((one) => one.viewBox.baseVal.width)`,
      );
    const before = await drawn();
    await page.run(`document.querySelector('main').style.width = '600px'`);
    await page.until(`document.querySelector('#cost-chart svg').viewBox.baseVal.width < 400`);
    expect((await drawn()).map((width, index) => width < before[index]!)).toEqual([true, true]);
  });

  test.each([320, 480, 820, 1440, 3840])(
    'texts of charts are inside of them and apart, %i pixels',
    async (width) => {
      await page.open(html, { width });
      const wrong = () =>
        page.run<string[]>(`[...document.querySelectorAll('.chart svg')].flatMap((svg) => {
        const box = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll('text')].map((one) => [one.textContent, one.getBoundingClientRect()]);
        const beyond = texts.filter(([, t]) => t.left < box.left - 1 || t.right > box.right + 1 || t.top < box.top - 1);
        const touching = texts.flatMap(([name, a], index) => texts.slice(index + 1).filter(([, b]) =>
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3).map(([other]) => [name + ' | ' + other]));
        return [...beyond, ...touching].map(([text]) => text);
      })`);
      expect(await wrong()).toEqual([]);
      await page.run('document.querySelector(\'input[value="lustre-gp3"]\').click()');
      for (const [name, value] of Object.entries({
        shared: '1',
        nodes: '1000',
        capacity: '900000',
        reads: '80',
      })) {
        await page.enter(name, value);
        expect(await wrong()).toEqual([]);
      }
    },
  );

  const WIDTHS = [320, 480, 820, 1100, 1280, 1440, 3840];
  test.each(WIDTHS)('nothing is wider than a screen of %i pixels', async (width) => {
    await page.open(html, { width });
    const beyond = async () => {
      await page.run(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
      return page.run<string[]>(`[...document.body.querySelectorAll('*')]
        .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
        .filter((one) => !one.closest('.scroll'))
        .slice(0, 3).map((one) => one.outerHTML.slice(0, 90))`);
    };
    expect(await beyond()).toEqual([]);
    await page.run('document.querySelector(\'input[value="lustre-gp3"]\').click()');
    for (const [name, value] of Object.entries({ nodes: '1000', capacity: '900000', shared: '100000' })) {
      await page.enter(name, value);
      expect(await beyond()).toEqual([]);
    }
  });

  test('an input is on the screen within 100 ms', async () => {
    const INPUTS = 40;
    await page.open(html);
    await page.command('Performance.enable', { timeDomain: 'threadTicks' });
    const busySeconds = async (): Promise<number> => {
      const { metrics } = await page.command('Performance.getMetrics');
      return metrics.find(({ name }: { name: string }) => name === 'TaskDuration').value;
    };
    const before = await busySeconds();
    await page.run(`times = []; pictures = []; (async () => {
      const field = document.getElementById('shared');
      for (let value = 20; value < ${20 + INPUTS}; value++) {
        field.value = String(value);
        const from = performance.now();
        field.dispatchEvent(new Event('input', { bubbles: true }));
        // The page works in the next frame; a task that is posted in it runs when it has been drawn.
        await new Promise((drawn) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel();
          port1.onmessage = drawn; port2.postMessage(0); }));
        times.push(performance.now() - from);
        pictures.push(document.getElementById('rows').textContent);
      }
    })()`);
    await page.until(`times.length === ${INPUTS}`);
    const busy = (1000 * ((await busySeconds()) - before)) / INPUTS;
    const times = (await page.run<number[]>('times')).sort((a, b) => a - b);
    const part = (share: number) => times[Math.floor(share * INPUTS)]!;
    process.stderr.write(
      `input to picture: median ${part(0.5).toFixed(1)} ms, 95 % ${part(0.95).toFixed(1)} ms; processor ` +
        `${busy.toFixed(1)} ms\n`,
    );
    // Other work on the machine makes them wait: what the page does itself is the time of its thread. It waits for
    // nothing when the next picture has what was put in.
    expect(busy).toBeLessThan(INTERACTION_MS);
    const pictures = await page.run<string[]>('pictures');
    expect(new Set(pictures).size).toBe(INPUTS);
  });
});
