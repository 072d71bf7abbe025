// What a run leaves behind on the machine: files, processes and mounts. Only what is the run's own counts: others may
// work here as well.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How this project, and the tools that it starts, call what they make in a temporary folder. */
const OURS =
  /^\.?(cdk|sas-grid|localcloud|chromium|planner|kept|versions|catalog|matrix|demo|host-|pytest-of|jest)\b/;

/**
 * Caches of tools, which are for the next run: those of tsx, Node and Lark, and pytest's folders of the last three
 * runs.
 */
const CACHES = /^(tsx-|node-compile-cache$|pytest-of-|\.lark_cache)/;

/** What another run, whose names are the same, would be. */
const ANOTHER_RUN =
  /\/jest\b|\bpytest\b|sas_grid_localcloud|run-tests\.mjs|\/aws-cdk\/bin|\bcdk (synth|deploy|destroy|diff)/;

/** So long what is about to end may take for it. */
const GRACE_SECONDS = 20;

const readable = (read, otherwise) => {
  try {
    return read();
  } catch {
    return otherwise; // it is gone meanwhile, somebody else's, or this is not Linux
  }
};

/** What is in a folder, but for caches. */
export const leftIn = (folder) =>
  readable(() => readdirSync(folder), [])
    .filter((name) => !CACHES.test(name))
    .sort();

/** The processes of this machine, with what they were started with. */
function processes() {
  return readable(() => readdirSync('/proc'), [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => {
      const text = (file) =>
        readable(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'), '')
          .replaceAll('\0', ' ')
          .trim();
      return { pid: Number(pid), command: text('cmdline'), environment: text('environ') };
    })
    .filter(({ command }) => command); // a dead one, which its parent has not asked for yet, has none
}

const isOf = (temporary) => (one) => one.environment.includes(temporary) || one.command.includes(temporary);

/** Processes that were started with this temporary folder, but for this one. */
export const processesOf = (temporary) => processes().filter(isOf(temporary));

/** Places below this folder where something is mounted. */
export const mountsBelow = (folder) =>
  readable(() => readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n'), [])
    .map((line) => line.split(' ')[4].replace(/\\040/g, ' '))
    .filter((place) => place.startsWith(`${folder}/`));

/**
 * Looks at the machine before a run.
 * @param run.system the system's temporary folder
 * @param run.temporary the run's own, which is in it
 * @param run.root the project's folder, below which a run may mount as well
 * @returns what looks again after it: {left, remarks}, a line for each thing that is left, and for what may be somebody
 * else's
 */
export function watch({ system, temporary, root, graceSeconds = GRACE_SECONDS }) {
  const names = () => new Set(readable(() => readdirSync(system), []));
  const mounts = () => [...mountsBelow(temporary), ...mountsBelow(root)];
  const before = { names: names(), mounts: new Set(mounts()) };
  const look = () => ({
    processes: processesOf(temporary),
    mounts: mounts().filter((place) => !before.mounts.has(place)),
    names: [...names()].filter(
      (name) => !before.names.has(name) && join(system, name) !== temporary && OURS.test(name),
    ),
  });

  return async () => {
    const end = Date.now() + graceSeconds * 1000;
    let found = look();
    while (Object.values(found).some((list) => list.length) && Date.now() < end) {
      await sleep(250);
      found = look();
    }
    const others = processes().some((one) => !isOf(temporary)(one) && ANOTHER_RUN.test(one.command));
    const files = found.names.map((name) => `file ${join(system, name)}`);
    return {
      left: [
        ...found.processes.map(({ pid, command }) => `process ${pid}: ${command.slice(0, 200)}`),
        ...found.mounts.map((place) => `mount ${place}`),
        ...(others ? [] : files),
      ],
      remarks: others ? files.map((file) => `${file}, which another run may be using`) : [],
    };
  };
}

/** What is in a check's own temporary folder at its end, a line for each. */
export const leftBy = (check, folder) =>
  existsSync(folder) ? leftIn(folder).map((name) => `file ${name} of ${check}`) : [];
