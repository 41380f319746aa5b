// CPU time and memory of a gateway from /proc: its process and its children, without the MCP server behind it.
import { readdirSync, readFileSync } from 'node:fs';
import { serverFile } from './gateways.js';

/** Linux counts CPU time in ticks of 10 ms. */
const usPerTick = 10_000;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly isServer: boolean;
  readonly cpuUs: number;
  readonly residentBytes: number;
}

/** The processes of the gateway, and those of the MCP server behind it. */
export function processesOf(pid: number): { readonly own: readonly Process[]; readonly servers: readonly Process[] } {
  const all = listProcesses();
  const tree = new Set([pid]);
  // A parent has not always the smaller id, so this repeats until nothing is added.
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid: child, parent } of all) if (tree.has(parent)) tree.add(child);
  }
  const inTree = all.filter((process) => tree.has(process.pid));
  return { own: inTree.filter(({ isServer }) => !isServer), servers: inTree.filter(({ isServer }) => isServer) };
}

export const cpuUsOf = (pid: number): number => sum(processesOf(pid).own.map(({ cpuUs }) => cpuUs));

export const residentBytesOf = (pid: number): number =>
  sum(processesOf(pid).own.map(({ residentBytes }) => residentBytes));

function listProcesses(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

function readProcess(pid: number): Process | undefined {
  try {
    // Behind the name, which may have spaces: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return {
      pid,
      parent: field(4),
      isServer: words[1] === serverFile,
      cpuUs: (field(14) + field(15)) * usPerTick,
      residentBytes: field(24) * 4096,
    };
  } catch {
    return; // it ended in between
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
