import { type Fields, isFields, json } from './parsed';

/**
 * The first whole JSON object in a text that also has other lines: fio writes warnings before its JSON, iperf3 writes
 * errors after it.
 *
 * @param wanted a name that the object has to have, so that a brace in a warning is not taken for the result
 * @returns undefined when there is none, or when it was cut off
 */
export function jsonObject(text: string, wanted: string): Fields | undefined {
  for (const from of beginnings(text)) {
    const end = closingBrace(text, from);
    const value = end === undefined ? undefined : json(text.slice(from, end + 1));
    if (isFields(value) && Object.hasOwn(value, wanted)) return value;
  }
  return undefined;
}

/** Each is looked at to the end of the text: not every brace of a long result that was cut off. */
const MOST_BEGINNINGS = 8;

/** Where an object may begin: first at the beginning of a line, as the tools do it. */
function beginnings(text: string): number[] {
  const atLine = [...text.matchAll(/^\{/gm)].map(({ index }) => index).slice(0, MOST_BEGINNINGS);
  const anywhere: number[] = [];
  for (
    let at = text.indexOf('{');
    at >= 0 && anywhere.length < MOST_BEGINNINGS;
    at = text.indexOf('{', at + 1)
  ) {
    anywhere.push(at);
  }
  return [...new Set([...atLine, ...anywhere])];
}

function closingBrace(text: string, from: number): number | undefined {
  let [depth, quoted] = [0, false];
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter === '\\') at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{') depth++;
    else if (letter === '}' && --depth === 0) return at;
  }
  return undefined;
}
