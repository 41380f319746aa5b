// `npm run bench:lock [tools]`: processor time to verify, to read and to write a lock of many tools, and the longest step
// between two turns of the event loop. No processes and no files: what is measured is @portico/tools-lock.
import type { Steps } from '@portico/async';
import {
  acceptInto,
  compareServer,
  digestOfDefinition,
  emptyLock,
  type ListedDefinition,
  type ListedServer,
  parseLock,
  serializeLockInSteps,
} from '@portico/tools-lock';
import { withSpread } from './statistics.js';

const count = Number(process.argv[2] ?? 10_000);
const rounds = 15;

/** A definition of some 900 characters, as most tools have one. */
function definitionOf(at: number, words = ''): ListedDefinition {
  const name = `tool_${at}`;
  const definition = {
    name,
    description: `Does the thing of number ${at}. ${words}${'It takes a while. '.repeat(25)}`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'The words to look for' },
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  };
  return { definition, digest: digestOfDefinition('s', name, definition) };
}

function serverOf(words?: string): ListedServer {
  const tools = Array.from({ length: count }, (_, at) => [`tool_${at}`, definitionOf(at, words)] as const);
  return {
    identity: { program: 'p', info: { name: 's' } },
    lists: { tool: new Map(tools), prompt: new Map(), resource_template: new Map() },
  };
}

/** Processor time of this process in milliseconds: a busy machine shows in it far less than in durations. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function measure<T>(name: string, begin: () => Steps<T>): T {
  const all: number[] = [];
  const longest: number[] = [];
  let taken = 0;
  let result: T | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const steps = begin();
    const from = cpuMs();
    let most = 0;
    for (taken = 1; ; taken += 1) {
      const before = cpuMs();
      const { done, value } = steps.next();
      most = Math.max(most, cpuMs() - before);
      if (done !== true) continue;
      result = value;
      break;
    }
    all.push(cpuMs() - from);
    longest.push(most);
  }
  const figures = `${withSpread(all, 1)} ms in ${taken} steps, the longest ${withSpread(longest, 1)} ms`;
  process.stdout.write(`${name.padEnd(28)} ${figures}\n`);
  return result as T;
}

const server = serverOf();
const drifts = measure('compare, all are new', () => compareServer('s', undefined, server));
const accepted = { by: 'bench', at: '2026-01-01T00:00:00Z' };
const lock = acceptInto(emptyLock, drifts, new Map([['s', server]]), accepted);
measure('verify, all are the same', () => compareServer('s', lock.get('s'), server));
const changed = serverOf('Now with other words. ');
measure('compare, all are changed', () => compareServer('s', lock.get('s'), changed));
const text = measure('write the text', () => serializeLockInSteps(lock));
process.stdout.write(`${'its size'.padEnd(28)} ${(text.length / 1e6).toFixed(1)} MB\n`);
measure('read the text', () => parseLock(text));
