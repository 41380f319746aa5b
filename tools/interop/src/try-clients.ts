// Runs each client against the fixture itself and against Portico before it, and compares what it came to.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { interopUpstreamPath } from '@portico-tools/fixtures/paths';
import type { Client, Target } from './clients.js';
import { type Cell, compare } from './compare.js';
import { explanationOf } from './explained.js';
import type { Program } from './install.js';
import { startPortico } from './portico.js';
import { runClient, type Step, type StepResults, steps } from './run-client.js';

/** One line of the table. */
export interface Row {
  readonly client: Client;
  readonly route: Target['kind'];
  readonly cells: ReadonlyMap<Step, Cell>;
}

const fixture = (how: string) => ({ command: process.execPath, args: [interopUpstreamPath, how] });
/** The upstream behind Portico speaks one era for clients over stdio, and the other for those over HTTP. */
const behind: Readonly<Record<Target['kind'], string>> = { stdio: 'stdio', http: 'legacy' };
const server = 'fixture';

/** A client that can be started. */
export interface Ready {
  readonly client: Client;
  readonly program: Program;
}

/** @param limit how many programs run at once */
export function tryClients(ready: readonly Ready[], limit: number): Promise<readonly Row[]> {
  const runs = ready.flatMap(({ client, program }) => client.routes.map((route) => ({ client, program, route })));
  return inTurn(runs, limit, async ({ client, program, route }) =>
    rowOf(client, route, await runDirect(program, route), await runBehind(program, route)),
  );
}

async function runDirect(program: Program, route: Target['kind']): Promise<StepResults> {
  if (route === 'stdio') return runClient(program, { kind: 'stdio', ...fixture('stdio') }, { server: null });
  const http = await serveFixture(); // one of its own, for it counts calls
  try {
    return await runClient(program, http.target, { server: null });
  } finally {
    http.stop();
  }
}

async function runBehind(program: Program, route: Target['kind']): Promise<StepResults> {
  const portico = await startPortico({ [server]: fixture(behind[route]) });
  try {
    return await runClient(program, portico.targets[route], { server, restart: () => portico.restart() });
  } finally {
    await portico.stop();
  }
}

function rowOf(client: Client, route: Target['kind'], direct: StepResults, portico: StepResults): Row {
  const cells = steps.map((step) => {
    const [expected, found] = [direct.get(step), portico.get(step)];
    if (expected === undefined || found === undefined) throw new Error(`${client.id} did not come to ${step}`);
    const cell = compare(step, expected, found);
    const known = explanationOf(client.id, route, step);
    const explains = cell.kind === 'differs' && known !== undefined;
    return [step, explains ? ({ kind: 'explained', reason: known.reason } as const) : cell] as const;
  });
  return { client, route, cells: new Map(cells) };
}

async function serveFixture(): Promise<{ readonly target: Target; stop(): void }> {
  const child = spawn(process.execPath, [interopUpstreamPath, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { target: { kind: 'http', url: String(line).split(' ').at(-1) ?? '' }, stop: () => void child.kill() };
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
