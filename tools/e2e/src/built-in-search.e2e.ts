// Search by meaning by default: the built daemon with its own model, without any configuration, and with it turned off.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { send } from './support/client.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { modernRequest } from './support/mcp.js';
import { readMetric } from './support/prometheus.js';
import { scripted, tool } from './support/upstreams.js';

const offered = {
  tools: [
    tool('delete_rows', { description: 'Deletes rows of a table. Takes a condition.' }),
    tool('create_table', { description: 'Creates a new table in the database.' }),
    tool('forecast', { description: 'Returns the weather forecast of a city.' }),
    tool('send_mail', { description: 'Sends an e-mail to a person.' }),
    tool('list_folder', { description: 'Lists the contents of a directory.' }),
  ],
};
const ready = 'portico_search_vectors_ready';
const failures = 'portico_embedder_failures_total';
const configOf = (rest: object = {}) => ({ mcpServers: { s: scripted(offered).server }, ...rest });

async function connected(rest: object = {}): Promise<Daemon> {
  const daemon = await startDaemon(configOf(rest));
  await daemon.connected('s');
  return daemon;
}

const find = async (daemon: Daemon, query: string) => (await daemon.search({ query })).body;

it('finds a tool by its meaning where no word is the same, from the first search on', async () => {
  const daemon = await connected();
  expect(await readMetric(daemon, ready)).toBe(0); // nothing is computed before
  const { capabilities } = await find(daemon, 'get rid of a record');
  expect(capabilities[0]).toMatchObject({
    id: 's.delete_rows',
    match_types: ['semantic'],
  });
  expect((await find(daemon, 'will it rain tomorrow')).capabilities[0]?.id).toBe('s.forecast');
  expect(await readMetric(daemon, ready)).toBe(offered.tools.length);
  expect(await readMetric(daemon, failures)).toBe(0);
});

it('gives the same order and scores embedded and in a process of its own, for any order of servers and tools', async () => {
  const [some, others] = [offered.tools.slice(0, 3), offered.tools.slice(3)];
  const serverOf = (tools: readonly ReturnType<typeof tool>[]) => scripted({ tools: [...tools] }).server;
  const embedded = await startDaemon({ mcpServers: { a: serverOf(some), b: serverOf(others) } });
  const apart = await startDaemonProcess({
    mcpServers: { b: serverOf(others.toReversed()), a: serverOf(some.toReversed()) },
  });
  await Promise.all([embedded, apart].flatMap((daemon) => ['a', 'b'].map((server) => daemon.connected(server))));
  for (const query of ['get rid of a record', 'send a message', 'show me the folder', 'create a table in the city']) {
    const { capabilities } = await find(embedded, query);
    expect(capabilities).not.toEqual([]);
    expect((await find(apart, query)).capabilities).toEqual(capabilities);
  }
});

/** The results of an agent for a query. */
async function capabilitySearch(daemon: Daemon, query: string) {
  const { body, headers } = modernRequest(1, 'tools/call', { name: 'capability_search', arguments: { query } });
  const accept = 'application/json, text/event-stream';
  const answer = await send<{ readonly result: { readonly structuredContent: unknown } }>(daemon.mcpUrl(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  });
  return answer.body.result.structuredContent;
}

it('says to an agent why each hit is there, and when nothing fits', async () => {
  const daemon = await connected({ mcpHttpServer: { port: 0 } });
  expect(await capabilitySearch(daemon, 'get rid of a record')).toMatchObject({
    capabilities: [{ id: 's.delete_rows', why: 'near: summary' }],
  });
  const lexical = await capabilitySearch(daemon, 'weather forecast');
  expect(lexical).toMatchObject({
    capabilities: [{ id: 's.forecast', why: expect.stringMatching(/weather|forecast/) }],
  });
  expect(lexical).toHaveProperty('confident', true);
  expect(lexical).not.toHaveProperty('no_good_match');
  expect(await capabilitySearch(daemon, 'quantum chromodynamics of gluons')).toMatchObject({
    no_good_match: { hint: expect.stringContaining('search in other words') },
  });
});

it('gives for other languages what it gives when it is turned off', async () => {
  const [daemon, off] = [await connected(), await connected({ search: { semantic: 'off' } })];
  const foreign = [
    ['Lösche den Datensatz aus der Tabelle', 'Wie wird das Wetter morgen?'], // German
    ['Supprime cette ligne du tableau', 'Envoie un message à Paul'], // French
    ['Borra la fila de esta tabla', 'Muestra la carpeta actual'], // Spanish
    ['удали запись', '行を削除する', '🦊🗑️'],
  ].flat();
  for (const query of foreign) {
    expect((await find(daemon, query)).capabilities).toEqual((await find(off, query)).capabilities);
  }
  expect((await find(off, 'get rid of a record')).capabilities).toEqual([]);
  expect((await find(off, 'delete rows')).capabilities).toMatchObject([{ match_types: ['lexical'] }]);
});

it('answers control characters', async () => {
  const daemon = await connected();
  expect((await daemon.search({ query: '\u0000\u001b[31m🦊' })).status).toBe(200);
});

it('uses words while the vectors of many tools are computed, and says so', async () => {
  const others = Array.from({ length: 4000 }, (_, at) =>
    tool(`forecast_${at}`, { description: `Returns the weather forecast of city ${at}.` }),
  );
  const tools = [tool('delete_rows', { description: 'Deletes rows of a table.' }), ...others];
  const daemon = await connected({
    mcpServers: { s: scripted({ tools }).server },
    mcpHttpServer: { port: 0 },
  });
  const query = 'get rid of a record '.repeat(209_000); // nearly 4 MiB
  const { status, body } = await daemon.search({ query });
  expect([status, body.capabilities]).toEqual([200, []]);
  expect(await readMetric(daemon, 'portico_search_vectors_missing')).toBeGreaterThan(0);
  expect(await capabilitySearch(daemon, 'get rid of a record')).toMatchObject({ meaning_pending: true });
  await vi.waitFor(async () => expect(await readMetric(daemon, ready)).toBe(tools.length), { timeout: 60_000 });
  expect((await find(daemon, query)).capabilities[0]).toMatchObject({ id: 's.delete_rows', match_types: ['semantic'] });
  expect(await capabilitySearch(daemon, 'get rid of a record')).not.toHaveProperty('meaning_pending');
}, 90_000);

it('computes the vectors of a changed list when it arrives', async () => {
  const upstream = scripted({ tools: [...offered.tools, tool('announce')] });
  const daemon = await connected({ mcpServers: { s: upstream.server } });
  await find(daemon, 'get rid of a record');
  const renaming = tool('rename', { description: 'Gives a file another name.' });
  upstream.define({ tools: [...offered.tools, tool('announce'), renaming] });
  await daemon.call('s.announce', { kind: 'tools' });
  await vi.waitFor(async () => expect(await readMetric(daemon, ready)).toBe(offered.tools.length + 2));
});

describe('a daemon whose model', () => {
  const otherModel = fileURLToPath(new URL('./support/other-model.mjs', import.meta.url));
  it.each<[string, string | undefined, string]>([
    ['is missing', undefined, 'no such file'],
    ['is damaged', 'no model', 'it does not begin with a line that describes a model'],
  ])('%s uses words, and says so once', async (_what, contents, reason) => {
    const file = join(tempFolder(), 'en.bin');
    if (contents !== undefined) writeFileSync(file, contents);
    const env = { NODE_OPTIONS: `--import=${otherModel}`, SEARCH_MODEL_FILE: file };
    const daemon = await startDaemonProcess(configOf(), { env });
    await daemon.connected('s');
    expect((await find(daemon, 'get rid of a record')).capabilities).toEqual([]);
    expect((await find(daemon, 'delete rows')).capabilities).toMatchObject([{ match_types: ['lexical'] }]);
    expect([await readMetric(daemon, failures), await readMetric(daemon, ready)]).toEqual([1, 0]);
    const said = daemon.log().filter(({ message }) => String(message).startsWith('the model of search'));
    expect(said).toMatchObject([{ level: 'error', reason: expect.stringContaining(`${file}: `) }]);
    expect(said[0]?.reason).toContain(reason);
  });
});
