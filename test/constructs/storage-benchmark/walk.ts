// biome-ignore lint/suspicious/noExplicitAny: parts of a definition and of a state
type Json = any;

/** What a task answers, or the error that is left after its retries. */
export type Answer = { readonly result: Json } | { readonly error: string };

export interface Call {
  readonly state: string;
  /** The number of the step, for tasks that are about one. */
  readonly step?: number;
}

const LONGEST = 10_000;

/**
 * Takes an execution from its start to its end as Step Functions does, as far as the benchmark's workflow uses it,
 * without its pauses and retries.
 *
 * @throws when a state is not there, when nothing of a choice holds, and when there is no end
 */
export function walk(
  states: Record<string, Json>,
  startAt: string,
  input: Json,
  answer: (call: Call) => Answer,
): { end: string; calls: Call[] } {
  const calls: Call[] = [];
  let name: string | undefined = startAt;
  let data: Json = input;
  for (let moves = 0; moves < LONGEST; moves++) {
    const state: Json = states[name ?? ''];
    if (!state) throw new Error(`there is no state ${name}`);
    if (state.Type === 'Succeed' || state.Type === 'Fail') return { end: name!, calls };
    if (state.Type === 'Choice') {
      const chosen = state.Choices.find((one: Json) => holds(one, data));
      name = chosen ? chosen.Next : state.Default;
      continue;
    }
    if (state.Type === 'Pass') {
      data = stored(data, state.ResultPath, filled(state.Parameters, data, input));
    } else if (state.Type === 'Wait') {
      if (typeof at(data, state.SecondsPath) !== 'number') throw new Error(`${name} waits for no time`);
    } else if (state.Type === 'Task') {
      const asked = filled(state.Parameters, data, input);
      const call = { state: name!, step: asked.step as number | undefined };
      calls.push(call);
      const got = answer(call);
      if ('error' in got) {
        const [caught] = state.Catch ?? [];
        if (!caught) throw new Error(`nothing catches what ${name} throws`);
        data = stored(data, caught.ResultPath, { Error: got.error, Cause: 'a test' });
        name = caught.Next;
        continue;
      }
      const result = state.ResultSelector
        ? filled(state.ResultSelector, { Payload: got.result }, input)
        : got.result;
      data = stored(data, state.ResultPath, result);
    } else throw new Error(`${name} is a ${state.Type}`);
    name = state.Next;
  }
  throw new Error('there is no end');
}

function at(data: Json, path: string): Json {
  let value = data;
  for (const key of path.split('.').slice(1)) {
    if (value === undefined || value === null || !(key in Object(value)))
      throw new Error(`there is no ${path}`);
    value = value[key];
  }
  return value;
}

const has = (data: Json, path: string): boolean => {
  try {
    return at(data, path) !== undefined;
  } catch {
    return false;
  }
};

/** As Step Functions fills parameters in: keys that end in .$ are paths, or the one function that is used. */
function filled(template: Json, data: Json, execution: Json): Json {
  if (typeof template !== 'object' || template === null || Array.isArray(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) =>
      key.endsWith('.$')
        ? [key.slice(0, -2), resolved(value as string, data, execution)]
        : [key, filled(value, data, execution)],
    ),
  );
}

function resolved(expression: string, data: Json, execution: Json): Json {
  const sum = /^States\.MathAdd\((\S+), (\d+)\)$/.exec(expression);
  if (sum) return at(data, sum[1]!) + Number(sum[2]);
  if (expression === '$$.Execution.Input') return execution;
  if (expression.startsWith('$$.')) return expression;
  return at(data, expression);
}

/** A result at its path: null throws it away, nothing puts it in the place of everything. */
function stored(data: Json, path: string | null | undefined, value: Json): Json {
  if (path === null) return data;
  if (path === undefined) return value;
  const [head, ...rest] = path.split('.').slice(1);
  if (head === undefined) return value;
  const below = rest.length > 0 ? stored(data[head] ?? {}, ['$', ...rest].join('.'), value) : value;
  return { ...data, [head]: below };
}

function holds(choice: Json, data: Json): boolean {
  if ('IsPresent' in choice) return has(data, choice.Variable) === choice.IsPresent;
  if ('StringEquals' in choice) return at(data, choice.Variable) === choice.StringEquals;
  if ('NumericLessThanPath' in choice)
    return at(data, choice.Variable) < at(data, choice.NumericLessThanPath);
  throw new Error(`unknown choice ${JSON.stringify(choice)}`);
}
