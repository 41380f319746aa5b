// CPU time of a call through the MCP faces, beside that of the same call through the HTTP facade: what the protocol adds
// to it. Over stdio and over HTTP, each by a client of 2025-11-25 and one of 2026-07-28.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, inRounds, isOk, nullCall, nullServer, type Scenario } from '../bench.js';
import { cpuUsOf, root } from '../portico.js';
import { runLoad, type Target } from '../raw-http-client.js';
import { type StdioClient, startStdioClient } from '../raw-stdio-client.js';
import { atMost, type Row } from '../rows.js';
import { ratios } from '../statistics.js';

const inFlight = 32;
const legacy = '2025-11-25';
const modern = '2026-07-28';
const call = `{"name":"capability_call","arguments":${nullCall}`;
const legacyCall = `${call}}`;
const modernCall = `${call},"_meta":${JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0' },
})}}`;
const hello = JSON.stringify({
  protocolVersion: legacy,
  capabilities: {},
  clientInfo: { name: 'bench', version: '0' },
});
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** One way to call, and the CPU time that Portico has used so far. */
interface Face {
  readonly run: (total: number) => Promise<unknown>;
  readonly cpuUs: () => Promise<number>;
}

export const mcpFaces: Scenario = {
  name: 'mcp-faces',
  async run(bench) {
    const total = bench.count(6000);
    const config = { mcpServers: { null: nullServer } };
    const listening = { ...config, mcpHttpServer: { port: 0 } };
    const daemon = await bench.portico(listening);
    const mcpPort = daemon.mcpPort ?? Number.NaN;
    const overHttp = (target: Target): Face => ({
      run: (calls) => runLoad(target, inFlight, calls),
      cpuUs: () => cpuUsOf(daemon.port),
    });
    const facade = overHttp({ port: daemon.port, path: '/v1/tools/call', body: nullCall, expect: isOk });
    const faces: readonly (readonly [name: string, face: Face])[] = [
      [`MCP stdio, ${legacy}`, await legacyStdio(bench, config)],
      [`MCP stdio, ${modern}`, await modernStdio(bench, config)],
      [`MCP over HTTP, ${legacy}`, overHttp(await legacyHttp(mcpPort))],
      [`MCP over HTTP, ${modern}`, overHttp(modernHttp(mcpPort))],
    ];
    for (const [, face] of [['', facade] as const, ...faces]) await face.run(total); // warm up

    const rounds = await inRounds(bench.rounds, async () => {
      const times = [await cpuUsPerCall(facade, total)];
      for (const [, face] of faces) times.push(await cpuUsPerCall(face, total));
      return times;
    });
    const column = (n: number) => rounds.map((times) => times[n] ?? Number.NaN);
    const rows = faces.map(
      ([name], n): Row => ({
        scenario: `CPU time of a call, ${inFlight} in flight: ${name}`,
        beside: 'the same call through the HTTP facade',
        figures: ratios(column(n + 1), column(0)),
        digits: 2,
        target: atMost(1.5),
      }),
    );
    return [
      ...rows,
      {
        scenario: `CPU time of a call, ${inFlight} in flight: HTTP facade`,
        figures: column(0),
        unit: 'µs',
        digits: 0,
      },
    ];
  },
};

async function cpuUsPerCall({ run, cpuUs }: Face, total: number): Promise<number> {
  const before = await cpuUs();
  await run(total);
  return ((await cpuUs()) - before) / total;
}

/** A service of its own within the process, as a client of AI starts it. */
function startStdio(bench: Bench, config: object, name: string): StdioClient {
  const configFile = join(bench.folder, `${name}.json`);
  writeFileSync(configFile, JSON.stringify(config));
  return bench.keep(
    startStdioClient([
      join(root, 'apps/mcp-stdio/dist/main.js'),
      ...['--config', configFile, '--state-dir', join(bench.folder, name), '--log-level', 'error'],
    ]),
  );
}

function toFace(client: StdioClient, params: string): Face {
  return {
    run: (total) => client.run({ method: 'tools/call', params, inFlight, total, expect: isOk }),
    cpuUs: client.cpuUs,
  };
}

async function legacyStdio(bench: Bench, config: object): Promise<Face> {
  const client = startStdio(bench, config, 'stdio-legacy');
  await client.ask('initialize', hello);
  client.send(initialized);
  await untilAnswered(client, legacyCall);
  return toFace(client, legacyCall);
}

async function modernStdio(bench: Bench, config: object): Promise<Face> {
  const client = startStdio(bench, config, 'stdio-modern');
  await untilAnswered(client, modernCall);
  return toFace(client, modernCall);
}

/** The server is connected when a call of it is answered. */
async function untilAnswered(client: StdioClient, params: string): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!(await client.ask('tools/call', params)).includes(isOk)) {
    if (performance.now() > giveUpAt) throw new Error('gave up waiting until a call over stdio was answered');
  }
}

async function legacyHttp(port: number): Promise<Target> {
  const headers = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': legacy };
  const post = (body: string, more: object = {}) =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers, ...more },
      body,
    });
  const opened = await post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${hello}}`);
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' };
  await post(initialized, session);
  return toTarget(port, legacyCall, { ...headers, ...session });
}

/** A call of 2026-07-28 over HTTP. */
export function modernHttp(port: number): Target {
  return toTarget(port, modernCall, {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': modern,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'capability_call',
  });
}

/** Requests that are under way in a session at one time have ids of their own. */
function toTarget(port: number, params: string, headers: Readonly<Record<string, string>>): Target {
  let id = 0;
  const body = () => `{"jsonrpc":"2.0","id":${++id},"method":"tools/call","params":${params}}`;
  return { port, path: '/mcp', body, headers, expect: isOk };
}
