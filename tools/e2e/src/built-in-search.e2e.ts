// Search by meaning as it comes: the built daemon with its own model, without any configuration, and with it turned off.
import { expect, it } from 'vitest';
import { send } from './support/client.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { modernRequest } from './support/mcp.js';
import { parsePrometheus } from './support/prometheus.js';
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
const configOf = (rest: object = {}) => ({ mcpServers: { s: scripted(offered).server }, ...rest });

async function connected(rest: object = {}): Promise<Daemon> {
  const daemon = await startDaemon(configOf(rest));
  await daemon.connected('s');
  return daemon;
}

const find = async (daemon: Daemon, query: string) => (await daemon.search({ query })).body;

it('finds a tool by its meaning where no word is the same', async () => {
  const daemon = await connected();
  const { capabilities } = await find(daemon, 'get rid of a record');
  expect(capabilities[0]).toMatchObject({
    id: 's.delete_rows',
    match_types: ['semantic'],
  });
  expect((await find(daemon, 'will it rain tomorrow')).capabilities[0]?.id).toBe('s.forecast');
  const samples = parsePrometheus((await daemon.get('/metrics')).text);
  const metric = (name: string) => samples.get(name)?.samples[0]?.value;
  expect(metric('portico_search_vectors_ready')).toBe(offered.tools.length);
  expect(metric('portico_embedder_failures_total')).toBe(0);
});

it('gives the same order and scores in two daemons alike', async () => {
  const [first, second] = [await connected(), await connected()];
  for (const query of ['get rid of a record', 'send a message', 'show me the folder']) {
    expect((await find(first, query)).capabilities).toEqual((await find(second, query)).capabilities);
  }
});

/** What an agent gets for a query. */
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
    capabilities: [{ id: 's.delete_rows', why: 'near: Deletes rows of a table.' }],
  });
  const lexical = await capabilitySearch(daemon, 'weather forecast');
  expect(lexical).toMatchObject({ capabilities: [{ id: 's.forecast', why: 'words: weather, forecast' }] });
  expect(lexical).not.toHaveProperty('no_good_match');
  expect(await capabilitySearch(daemon, 'quantum chromodynamics of gluons')).toMatchObject({
    no_good_match: { hint: expect.stringContaining('search in other words') },
  });
});

it('goes by words for another language and when it is turned off', async () => {
  const daemon = await connected();
  expect((await find(daemon, 'удали запись')).capabilities).toEqual([]);
  const off = await connected({ search: { semantic: 'off' } });
  expect((await find(off, 'get rid of a record')).capabilities).toEqual([]);
  expect((await find(off, 'delete rows')).capabilities).toMatchObject([{ match_types: ['lexical'] }]);
});

it('answers a query of 4 MiB as far as a body may be, and control characters', async () => {
  const daemon = await connected();
  const { status } = await daemon.search({ query: 'delete a row '.repeat(2 ** 18) });
  expect([200, 413]).toContain(status);
  expect((await daemon.search({ query: '\u0000\u001b[31m🦊' })).status).toBe(200);
});
