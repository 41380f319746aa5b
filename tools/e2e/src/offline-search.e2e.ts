// Search by meaning without a network: from the first search of a daemon on, in two daemons alike, and in an embedded host.
// Each connection that would leave the machine is refused and recorded.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { ownHome, startDaemonProcess } from './support/daemon-process.js';
import { repository } from './support/repository.js';
import { scripted, tool } from './support/upstreams.js';

const support = (name: string) => fileURLToPath(new URL(`./support/${name}`, import.meta.url));
const tools = [
  tool('delete_rows', { description: 'Deletes rows of a table. Takes a condition.' }),
  tool('forecast', { description: 'Returns the weather forecast of a city.' }),
  tool('list_folder', { description: 'Lists the contents of a directory.' }),
  tool('send_mail', { description: 'Sends an e-mail to a person.' }),
];
const config = { mcpServers: { s: scripted({ tools }).server } };
const queries = ['get rid of a record', 'will it rain tomorrow', 'write to a colleague'];
const first = ['s.delete_rows', 's.forecast', 's.send_mail'];

/** Environment of a process without a network, and what it tried. */
function withoutNetwork() {
  const file = join(tempFolder(), 'uses');
  const options = `--import=${pathToFileURL(support('no-network.mjs')).href}`;
  const tried = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  return { env: { NODE_OPTIONS: options, NETWORK_USES: file }, tried };
}

async function searchIn(daemon: Awaited<ReturnType<typeof startDaemonProcess>>) {
  await daemon.connected('s');
  const answers = [];
  for (const query of queries) answers.push((await daemon.search({ query })).body);
  return answers;
}

it('has the same order, scores and catalog in two daemons, each from its first search on', async () => {
  const [one, other] = [withoutNetwork(), withoutNetwork()];
  const answers = await Promise.all(
    [one, other].map(async ({ env }) => searchIn(await startDaemonProcess(config, { env }))),
  );
  expect(answers[0]?.map(({ capabilities }) => capabilities[0]?.id)).toEqual(first);
  expect(answers[0]?.[0]?.capabilities[0]?.match_types).toEqual(['semantic']);
  expect(answers[1]).toEqual(answers[0]);
  expect([one.tried(), other.tried()]).toEqual([[], []]);
});

it('works in a program that embeds a host', async () => {
  const { env, tried } = withoutNetwork();
  const host = join(repository, 'packages/host/dist/index.js');
  const folder = tempFolder();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [support('offline-host.mjs'), host, JSON.stringify(config), ...queries],
    { cwd: folder, env: { ...process.env, ...ownHome(folder), ...env } },
  );
  const answers = JSON.parse(stdout) as readonly { readonly capabilities: readonly { readonly id: string }[] }[];
  expect(answers.map(({ capabilities }) => capabilities[0]?.id)).toEqual(first);
  expect(tried()).toEqual([]);
});

it('would be seen if it used the network: a remote embedder is refused, and search uses words', async () => {
  const { env, tried } = withoutNetwork();
  const embeddings = { provider: 'openai', url: 'http://embedder.invalid/v1', model: 'm' };
  const daemon = await startDaemonProcess({ ...config, search: { embeddings } }, { env });
  await daemon.connected('s');
  expect((await daemon.search({ query: 'forecast' })).body.capabilities).toMatchObject([{ id: 's.forecast' }]);
  await vi.waitFor(() => expect(tried()).toContain('connect embedder.invalid'));
});
