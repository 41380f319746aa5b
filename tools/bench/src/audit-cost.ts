// `npm run bench:audit-cost`: calls per second with the audit log off, in memory, in a file, and strict, measured in
// alternating rounds: over a real server, and over one that does nothing, where all that is left is what Portico does. A
// second daemon without a log shows how far apart two of the same kind are.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nullStdioPath } from '../../fixtures/src/paths.js';
import { startPortico } from './portico.js';
import type { Running } from './processes.js';
import { runLoad, type Target } from './raw-http-client.js';
import { withSpread } from './statistics.js';

const rounds = 15;
const calls = 6000;
const inFlight = 32;

interface Upstream {
  readonly what: string;
  readonly command: readonly string[];
  readonly call: { readonly capability_id: string; readonly args: object };
}

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const upstreams: readonly Upstream[] = [
  {
    what: '@modelcontextprotocol/server-everything, tool echo',
    command: [join(dirname(everything), 'dist/index.js'), 'stdio'],
    call: { capability_id: 's.echo', args: { message: 'What is in the notes of today?' } },
  },
  {
    what: 'a server that does nothing',
    command: [nullStdioPath],
    call: { capability_id: 's.null_call', args: { path: '/srv/notes/today.md', depth: 3 } },
  },
];

const kinds: Readonly<Record<string, (folder: string) => object>> = {
  off: () => ({ enabled: false }),
  'off, once more': () => ({ enabled: false }),
  'in memory': () => ({}),
  buffered: (folder) => ({ filePath: join(folder, 'buffered.jsonl') }),
  strict: (folder) => ({ filePath: join(folder, 'strict.jsonl'), durability: 'strict' }),
};

async function compare({ what, command, call }: Upstream): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const running = new Map<string, Running>();
  try {
    const mcpServers = { s: { command: process.execPath, args: command } };
    for (const [kind, auditOf] of Object.entries(kinds)) {
      running.set(kind, await startPortico(join(folder, kind), { mcpServers, audit: auditOf(folder) }));
    }
    report(what, await measure(running, JSON.stringify(call)));
  } finally {
    await Promise.all([...running.values()].map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

type Rates = ReadonlyMap<string, number[]>;

async function measure(running: ReadonlyMap<string, Running>, body: string): Promise<Rates> {
  const rates = new Map([...running.keys()].map((kind) => [kind, [] as number[]]));
  const targetOf = ({ port }: Running): Target => ({ port, path: '/v1/tools/call', body, expect: '"ok":true' });
  for (const daemon of running.values()) await runLoad(targetOf(daemon), inFlight, calls); // warm up
  for (let round = 0; round < rounds; round++) {
    // In another order each time: what ran before leaves its mark on a machine.
    const order = [...running].map((entry) => ({ entry, place: Math.random() })).sort((a, b) => a.place - b.place);
    for (const { entry } of order) {
      const [kind, daemon] = entry;
      const { seconds } = await runLoad(targetOf(daemon), inFlight, calls);
      rates.get(kind)?.push(calls / seconds);
    }
  }
  return rates;
}

function report(what: string, rates: Rates): void {
  const [first = [], second = []] = [rates.get('off'), rates.get('off, once more')];
  const off = first.map((rate, round) => (rate + (second[round] ?? Number.NaN)) / 2);
  const lines = [
    `POST /v1/tools/call to ${what}: per second, median (least to most); beside the two without a log in the same round`,
    ...[...rates].map(([kind, perSecond]) => {
      const ratios = perSecond.map((rate, round) => rate / (off[round] ?? Number.NaN));
      return `  ${kind.padEnd(16)} ${withSpread(perSecond)};  ${withSpread(ratios, 2)}`;
    }),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

process.stdout.write(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}; ${rounds} rounds of ${calls} calls, ${inFlight} in flight\n`,
);
for (const upstream of upstreams) await compare(upstream);
