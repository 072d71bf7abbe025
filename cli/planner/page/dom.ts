type Attributes = { readonly [name: string]: string | number | boolean | undefined };
export type Child = Node | string | undefined;

/** Makes an element. Texts become text, never markup: some of them come out of a link. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  fill(element, ...children);
  return element;
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== undefined));
}

/** An element of index.html. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no element with the id '${id}'`);
  return element as T;
}

/** Sets a text only when it differs: what has not changed is neither drawn nor read out again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const filledWith = new WeakMap<Element, string>();

/**
 * Fills an element anew only when what it shows differs: elements that stay cost no layout, and what is marked in them
 * stays marked.
 */
export function fillFor(element: Element, shows: unknown, children: () => Child[]): void {
  const key = JSON.stringify(shows);
  if (filledWith.get(element) === key) return;
  filledWith.set(element, key);
  fill(element, ...children());
}
