import { type Fields, isFields, json } from './parsed';

/**
 * The first whole JSON object in a text that also has other lines: fio writes warnings before its JSON, iperf3 writes errors after it.
 *
 * @param wanted a name that the object has to have, so that a brace in a warning is not taken for the result
 * @returns undefined when there is none, or when it was cut off
 */
export function jsonObject(text: string, wanted: string): Fields | undefined {
  for (let from = text.indexOf('{'); from >= 0; from = text.indexOf('{', from + 1)) {
    const end = closingBrace(text, from);
    if (end === undefined) continue;
    const value = json(text.slice(from, end + 1));
    if (isFields(value) && wanted in value) return value;
    // No other object begins inside of one that was whole.
    if (value !== undefined) from = end;
  }
  return undefined;
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
