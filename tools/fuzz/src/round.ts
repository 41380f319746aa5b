// One round of everything with one seed, and what must hold of the daemon behind it.
import { spawnSync } from 'node:child_process';
import type { Scope } from '../../faults/src/scope.js';
import type { Finding, Ran } from './finding.js';
import { fuzzBytes } from './fuzz-bytes.js';
import { fuzzHttp } from './fuzz-http.js';
import { fuzzRpcOverHttp } from './rpc/over-http.js';
import { fuzzStdio } from './rpc/over-stdio.js';
import { cliMain, type Measure, type Service } from './service.js';
import { auditFileOf, type World } from './world.js';

/** Cases of each operation of the HTTP API, and of each MCP face. */
export interface RoundSize {
  readonly http: number;
  readonly mcp: number;
}

export interface Round {
  readonly cases: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

export async function runRound(scope: Scope, world: World, seed: number, { http, mcp }: RoundSize): Promise<Round> {
  const ofMcp = { seed, runs: mcp };
  const all: readonly (Ran & { readonly what: string })[] = [
    ...(await fuzzHttp(world, { seed, runs: http })),
    await fuzzBytes(world, ofMcp),
    await fuzzRpcOverHttp(world, 'legacy', ofMcp),
    await fuzzRpcOverHttp(world, 'modern', ofMcp),
    // A line costs less than a request, and a run of lines waits for the slowest of its calls.
    ...(await Promise.all([fuzzStdio(scope, world, 'legacy', ofMcp), fuzzStdio(scope, world, 'modern', ofMcp)])),
  ];
  return {
    cases: Object.fromEntries(all.map(({ what, cases }) => [what, cases])),
    findings: [...all.flatMap(({ findings }) => findings), ...(await findingsOf(world.service, seed))],
  };
}

async function findingsOf(service: Service, seed: number): Promise<readonly Finding[]> {
  const found = (problem: string): Finding => ({
    what: 'the daemon, after a round',
    problem,
    again: 'see its log',
    seed: String(seed),
  });
  if (!service.isAlive()) return [found(`it has ended: ${service.complaints().join('\n')}`)];
  const health = await service.get<{ readonly ok?: boolean } | undefined>('/healthz');
  const { report } = await service.get<{ readonly report: { readonly is_valid: boolean; readonly details: string } }>(
    '/v1/audit/verify',
  );
  return [
    ...(health === undefined ? [found('/healthz does not answer')] : []),
    ...(report.is_valid ? [] : [found(`its audit log is not valid: ${report.details}`)]),
    ...service.complaints().map((line) => found(line)),
  ];
}

/** Resources still held when requests have ended, compared with those before; in words if there are more. */
export async function heldMore(service: Service, before: Measure): Promise<readonly string[]> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const after = await service.measure();
    const sockets = (measure: Measure) => measure.resources.TCPSocketWrap ?? 0;
    const more = [
      ...(after.files > before.files + 8 ? [`${after.files} open files, ${before.files} before`] : []),
      ...(sockets(after) > sockets(before) + 4 ? [`${sockets(after)} sockets, ${sockets(before)} before`] : []),
      ...(after.memory.heapUsed > before.memory.heapUsed + maxHeapGrowth
        ? [`a heap of ${after.memory.heapUsed} bytes, ${before.memory.heapUsed} before`]
        : []),
    ];
    if (more.length === 0 || performance.now() > deadline) return more;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Code, caches and what is kept of the things that were made; a request that was kept whole would be far more. */
const maxHeapGrowth = 48 * 1024 * 1024;

/** Without the service: exit code 0 for a whole log. To be asked once the service has ended. */
export function verifyOffline(service: Service): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cliMain, 'audit', 'verify', auditFileOf(service)], {
    encoding: 'utf8',
  });
  return { code: status, text: `${stdout}${stderr}`.trim() };
}
