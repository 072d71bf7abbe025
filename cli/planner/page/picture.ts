import { type Drawing, type Size, svg } from '../../../lambda/shared/chart/drawing';
import { byId, h, setText } from './dom';

/** Letters of a chart are a little smaller than those of the page. */
const LETTERS = 0.84;
/** Before it is known how much room there is. */
const FIRST: Size = { width: 480, font: 12 };

/** An element with a chart in it, which is drawn anew when there is more or less room. */
export class Picture {
  private readonly element: HTMLElement;
  /** What a screen reader hears is the alternative. */
  private readonly tip = h('div', { class: 'tip', 'aria-hidden': 'true', hidden: true });
  private size = FIRST;
  private draw?: (size: Size) => Drawing;

  /** @param choose called with the id of a point that is clicked; with a keyboard something else does the same */
  constructor(id: string, choose?: (id: string) => void) {
    this.element = byId(id);
    this.element.after(this.tip);
    this.measure();
    // Also when the element is shown for the first time, or paper is wider than the screen.
    new ResizeObserver(() => this.measure() && this.redraw()).observe(this.element);
    if (choose) this.listen(choose);
  }

  /** @param alternative what there is to see, for who cannot */
  show(draw: (size: Size) => Drawing, alternative: string): void {
    this.draw = draw;
    this.element.setAttribute('aria-label', alternative);
    this.redraw();
  }

  private listen(choose: (id: string) => void): void {
    this.element.addEventListener('click', ({ target }) => {
      const id = pointOf(target)?.dataset.id;
      if (id !== undefined) choose(id);
    });
    for (const event of ['pointermove', 'pointerdown'] as const)
      this.element.addEventListener(event, ({ target }) => this.tell(pointOf(target)));
    this.element.addEventListener('pointerleave', () => this.tell(undefined));
  }

  private redraw(): void {
    if (!this.draw) return;
    this.tell(undefined);
    this.element.innerHTML = svg(this.draw(this.size)).text;
  }

  /** Whether there is other room than before. */
  private measure(): boolean {
    const width = this.element.clientWidth;
    const font = LETTERS * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    if (width === 0 || (width === this.size.width && font === this.size.font)) return false;
    this.size = { width, font };
    return true;
  }

  /** Says beside a point what it is. */
  private tell(point: SVGElement | undefined): void {
    this.tip.hidden = point === undefined;
    if (!point) return;
    setText(this.tip, point.dataset.tip!);
    const box = this.element.getBoundingClientRect();
    const { left, top, width } = point.getBoundingClientRect();
    const beside = left - box.left + width / 2 - this.tip.offsetWidth / 2;
    this.tip.style.left = `${Math.max(0, Math.min(beside, box.width - this.tip.offsetWidth))}px`;
    this.tip.style.top = `${Math.max(0, top - box.top - this.tip.offsetHeight - 4)}px`;
  }
}

function pointOf(target: EventTarget | null): SVGElement | undefined {
  return (target as Element).closest<SVGElement>('[data-tip]') ?? undefined;
}
