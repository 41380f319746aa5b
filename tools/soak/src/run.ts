// A soak: a daemon under mixed load while its servers fail on a schedule, and what must hold of it throughout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../packages/io/stores/src/testing/free-port.js';
import { type Check, unless } from '../../faults/src/check.js';
import { canListProcesses, childrenOf, describeProcess, leftOf, processesWith } from '../../faults/src/processes.js';
import type { Scope } from '../../faults/src/scope.js';
import { createDocumented } from '../../fuzz/src/documented.js';
import type { OpenApi } from '../../fuzz/src/openapi.js';
import { cliMain, type Service, startService } from '../../fuzz/src/service.js';
import { inject, planFaults } from './chaos.js';
import { type LoadOptions, loadOverHttp } from './http-load.js';
import { keepHttpServer } from './http-server.js';
import { createKeys } from './keys.js';
import { loadOverMcpHttp, loadOverStdio } from './mcp-load.js';
import { operate } from './operator.js';
import { createTally, type Tally } from './tally.js';
import { checkHandles, checkMemory, sample, settled } from './vitals.js';

const upstreamPath = fileURLToPath(new URL('./chaos-upstream.mjs', import.meta.url));
const servers = ['a', 'b', 'c'];
const httpClients = 6;

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface SoakReport {
  readonly minutes: number;
  readonly seed: number;
  readonly calls: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly checks: readonly Check[];
}

export async function soak(scope: Scope, { minutes, seed, say }: SoakOptions): Promise<SoakReport> {
  const port = await freePort();
  const service = await startService(scope, (folder) => configOf(folder, port));
  const { folder } = service;
  const http = keepHttpServer(scope, [upstreamPath, folder, 'c', '--port', String(port)]);
  await http.isUp();
  await service.connected(...servers);
  const durationMs = minutes * 60_000;

  // Resources that a daemon opens once, at the first request of each kind, are no leak: a short load goes before the
  // first measure.
  await load(scope, service, { seed: seed + 1, durationMs: Math.min(5000, durationMs / 10), tally: createTally() });
  await service.connected(...servers);
  const before = await service.measure();

  say(`  warmed up: ${before.files} files, heap ${(before.memory.heapUsed / 1048576).toFixed(1)} MiB`);
  const tally = createTally();
  const stop = new AbortController();
  const faults = inject(folder, planFaults(seed, servers, durationMs), stop.signal);
  const operating = operate(service, servers, tally, say, stop.signal);
  const warmMs = Math.min(60_000, durationMs / 5);
  const sampling = sleep(warmMs, undefined, { signal: stop.signal })
    .catch(() => {})
    .then(() => sample(service, Math.max(1500, durationMs / 150), stop.signal));
  const beside = Promise.all([faults, operating, sampling]);
  // A failure beside the load ends it: without the daemon there is nothing left to put load on.
  await Promise.race([load(scope, service, { seed, durationMs, tally }), beside.then(() => new Promise(() => {}))]);
  stop.abort();
  const [begun, verified, measures] = await beside;

  await recovered(service);
  const after = await settled(service, before);
  const health = await service.get<{ readonly status?: string }>('/healthz').catch(() => undefined);
  const children = childrenOf(service.pid);
  const online = await service.get<{
    readonly report: { readonly is_valid: boolean; readonly total_records: number; readonly details: string };
  }>('/v1/audit/verify');
  const complaints = service.complaints();
  const code = await service.stop();
  await http.stop();
  const left = await leftOf([...children, ...processesWith(folder)], 10_000);
  const offline = await verifyOffline(join(folder, 'audit.jsonl'));
  const calls = Object.values(tally.outcomes()).reduce((sum, count) => sum + count, 0);
  const checks: readonly Check[] = [
    {
      what: 'every answer is a documented one, in time',
      figures: `${calls} calls, ${tally.times()}`,
      problems: [...unless(calls > 0, () => 'no call was made'), ...tally.problems()],
    },
    checkKeys(tally, join(folder, 'executions.jsonl')),
    {
      what: 'the audit chain is valid',
      figures: `verified ${verified} times while it grew, then ${online.report.total_records} records; offline: ${offline.text}`,
      problems: [
        ...unless(online.report.is_valid, () => online.report.details),
        ...unless(offline.code === 0, () => offline.text),
      ],
    },
    {
      what: 'no process is left',
      figures: canListProcesses ? `${children.length} child processes, exit code ${code}` : 'not looked at: no /proc',
      problems: [...left.map(describeProcess), ...unless(code === 0, () => `the daemon ended with ${code}`)],
    },
    checkHandles(before, after),
    ...checkMemory(measures),
    {
      what: 'the daemon lives and has nothing to complain of',
      figures: `${complaints.length} errors in its log`,
      problems: [
        ...complaints.map((line) => line.slice(0, 500)),
        ...unless(health !== undefined, () => '/healthz does not answer'),
      ],
    },
  ];
  return { minutes, seed, calls, outcomes: tally.outcomes(), faults: begun, checks };
}

function configOf(folder: string, port: number): object {
  const resilience = {
    failureThreshold: 3,
    cooldownMs: 300,
    consecutiveSuccesses: 1,
    maxRestarts: 1_000_000,
    healthCheckIntervalSecs: 5,
  };
  const stdio = (name: string) => ({ command: process.execPath, args: [upstreamPath, folder, name], resilience });
  return {
    toolTimeoutMs: 1000,
    mcpServers: {
      a: stdio('a'),
      b: stdio('b'),
      c: { url: `http://127.0.0.1:${port}/mcp`, allowStateless: true, resilience },
    },
    capabilityAliases: { plain_of_a: { target: 'a.plain', passthrough: true } },
    policy: { requireApproval: ['*.gated'], approvalTimeoutSecs: 3 },
    audit: { filePath: 'audit.jsonl' },
  };
}

async function load(
  scope: Scope,
  service: Service,
  { seed, durationMs, tally }: { readonly seed: number; readonly durationMs: number; readonly tally: Tally },
): Promise<void> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), durationMs);
  const documented = createDocumented(await service.get<OpenApi>('/v1/openapi.json'));
  const options: LoadOptions = { seed, servers, keys: createKeys(seed, servers), tally, signal: over.signal };
  try {
    await Promise.all([
      ...Array.from({ length: httpClients }, (_, client) => loadOverHttp(service.url, documented, client, options)),
      loadOverMcpHttp(service.mcpUrl, 'legacy', options),
      loadOverMcpHttp(service.mcpUrl, 'modern', options),
      loadOverStdio(scope, service, options),
    ]);
  } finally {
    over.abort();
    clearTimeout(timer);
  }
}

/** Every server comes back, once nothing fails any more: those that wait long for their next try are started by hand. */
async function recovered(service: Service): Promise<void> {
  await sleep(3000); // the longest of the faults
  for (const id of servers) await service.post(`/v1/config/servers/${id}/restart`, {});
  await service.connected(...servers);
}

function checkKeys(tally: Tally, journal: string): Check {
  const executions = new Map<string, number>();
  for (const line of existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : []) {
    const { key } = JSON.parse(line) as { readonly key: string };
    executions.set(key, (executions.get(key) ?? 0) + 1);
  }
  const problems: string[] = [];
  let results = 0;
  for (const [key, answers] of tally.keys()) {
    const count = executions.get(key) ?? 0;
    if (count > 1) problems.push(`${key} was executed ${count} times`);
    if (answers.has('wrong')) problems.push(`${key} was answered with the result of another`);
    if (answers.has('result') && count !== 1) problems.push(`${key} has a result and was executed ${count} times`);
    if (answers.has('result') && answers.has('failed'))
      problems.push(`${key} was answered with its result and with ${[...(answers.get('failed') ?? [])].join(' and ')}`);
    if (answers.has('result')) results += 1;
  }
  return {
    what: 'each idempotency key is executed at most once, for callers over any facade',
    figures: `${tally.keys().size} keys, ${results} with a result`,
    problems: [...unless(results > 0, () => 'no key has a result'), ...problems],
  };
}

async function verifyOffline(file: string): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = spawn(process.execPath, [cliMain, 'audit', 'verify', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, text: text.trim().replace(`${file}: `, '') };
}
