import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = { recordings: join(__dirname, '../recordings'), papers: join(__dirname, '../papers') };

/** What a tool printed, as it was recorded; or as the text of paper 003 has it. */
export function recording(name: string, folder: keyof typeof FOLDERS = 'recordings'): string {
  return readFileSync(join(FOLDERS[folder], name), 'utf8');
}

/** Names of all recordings that begin so. */
export function recordingsOf(start: string): string[] {
  return readdirSync(FOLDERS.recordings).filter((name) => name.startsWith(start));
}

/** Beginnings of a text: all of a short one, some of a long one, and always those around its last lines. */
export function beginnings(text: string): string[] {
  const step = Math.max(1, Math.floor(text.length / 120));
  const lengths = new Set<number>();
  for (let length = 0; length < text.length; length += step) lengths.add(length);
  for (let length = Math.max(0, text.length - 80); length < text.length; length++) lengths.add(length);
  return [...lengths].map((length) => text.slice(0, length));
}
