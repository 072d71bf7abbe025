import { type Alteration, alterations } from './alterations';
import type { Template } from './template';
import { UNHELD } from './unheld';

/** How a part of a template is shown: as a template of its own, whose entries do not depend on others. */
export type Shown = (part: Template) => string;

/** What was altered, and what of it nobody would see. */
export interface Findings {
  altered: number;
  /** Equal parts are altered once. */
  readonly seen: Set<string>;
  /** How many there were of what outlines leave out, by what it is. */
  readonly unheld: Map<string, number>;
  /** What neither changes what is shown nor is left out on purpose. */
  readonly unnoticed: Set<string>;
}

export const noFindings = (): Findings => ({
  altered: 0,
  seen: new Set(),
  unheld: new Map(),
  unnoticed: new Set(),
});

/** Alters each part of a template in turn, and looks whether what is shown of it changes. */
export function alterEach(template: Template, shown: Shown, findings: Findings): void {
  const { Resources, Description: _, ...others } = template;
  for (const [id, resource] of Object.entries(Resources)) {
    const { Type, ...attributes } = resource;
    const part = (altered: unknown): Template => ({ Resources: { [id]: { Type, ...(altered as object) } } });
    alterPart(Type, attributes, (altered) => shown(part(altered)), findings);
  }
  for (const [section, entries] of Object.entries(others)) {
    for (const [name, entry] of Object.entries(entries as object)) {
      const part = (altered: unknown): Template => ({ Resources: {}, [section]: { [name]: altered } });
      alterPart(section, entry, (altered) => shown(part(altered)), findings);
    }
  }
}

function alterPart(type: string, part: unknown, shown: (part: unknown) => string, findings: Findings): void {
  const equal = JSON.stringify([type, part]);
  if (findings.seen.has(equal)) return;
  findings.seen.add(equal);
  const before = shown(part);
  for (const alteration of alterations(part)) {
    findings.altered += 1;
    if (shown(alteration.value) !== before) continue;
    const unheld = UNHELD.find(({ is }) => is(alteration, type));
    if (unheld) findings.unheld.set(unheld.what, (findings.unheld.get(unheld.what) ?? 0) + 1);
    else findings.unnoticed.add(nameOf(alteration, type));
  }
}

const nameOf = ({ path, how }: Alteration, type: string): string => `${type} ${path.slice(1)}: ${how}`;
