/** A part of an outline: the lines of each entry by its name, mostly that of a resource. */
export interface Section {
  readonly title: string;
  readonly entries: Readonly<Record<string, readonly string[]>>;
}

/** Entries by name, without those that have no line. */
export const entries = (
  named: readonly (readonly [name: string, lines: readonly string[]])[],
): Section['entries'] => Object.fromEntries(named.filter(([, lines]) => lines.length > 0));

/** All sections, each after its title. */
export const text = (sections: readonly Section[]): string =>
  sections
    .filter((section) => Object.keys(section.entries).length > 0)
    .map((section) => [`== ${section.title}`, ...Object.values(section.entries).flat()].join('\n'))
    .join('\n\n');
