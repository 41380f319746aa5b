// Search by meaning: the built daemon with an embeddings endpoint that lives, dies, and is not asked twice.
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, refusalOf, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { type EmbeddingsServer, startEmbeddingsServer } from './support/embeddings-server.js';
import { readMetric } from './support/prometheus.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const offered = {
  tools: [
    tool('send', { description: 'Sends a letter.', annotations: { readOnlyHint: true } }),
    tool('copy', { description: 'Duplicates a file.' }),
    tool('list', { description: 'Shows a folder.', _meta: { tags: ['tree'] } }),
    tool('outlook', { description: 'Says what the weather will be.' }),
    tool('unrelated', { description: 'Does something else.' }),
  ],
};

/** Where a search is to have its vector: the second that it waits for that is five. */
const clockFactor = 0.2;

const configOf = (embeddings: object, rest: object = {}) => ({
  mcpServers: { s: scripted(offered).server },
  search: { embeddings },
  ...rest,
});
const openai = ({ url }: EmbeddingsServer) => ({ provider: 'openai', url, model: 'fake' });

const allThere = (daemon: Daemon, count = offered.tools.length) =>
  eventually(async () => expect(await readMetric(daemon, 'portico_search_vectors_ready')).toBe(count));

const hits = async (daemon: Daemon, request: object) =>
  (await daemon.search(request)).body.capabilities.map(({ id, match_types }) => [id, ...match_types]);

/** Messages of the log about the embedder. */
const warnings = (daemon: Daemon) =>
  daemon.log().flatMap(({ level, message, reason }) => (/embedder/.test(String(message)) ? [{ level, reason }] : []));

it('finds a tool by what it means where no word is the same, and fuses it with what words find [search-match-semantic] [search-semantic-option]', async () => {
  const embeddings = await startEmbeddingsServer();
  const config = configOf({ ...openai(embeddings), apiKeyEnv: 'EMBEDDINGS_KEY' });
  const daemon = await startDaemonProcess(config, { env: { EMBEDDINGS_KEY: 'sk-e2e' }, clockFactor });
  await daemon.connected('s');
  await allThere(daemon);

  const { body } = await daemon.search({ query: 'correspondence' });
  expect(body.capabilities).toEqual([
    {
      id: 's.send',
      summary: 'Sends a letter.',
      server: 's',
      tags: ['read-only', 's'],
      mode: 'read',
      score: 0.6,
      match_types: ['semantic'],
    },
  ]);
  expect(await hits(daemon, { query: 'copy a document' })).toEqual([['s.copy', 'lexical', 'semantic']]);
  expect(await hits(daemon, { query: 'directory', tags: ['tree'] })).toEqual([['s.list', 'semantic', 'tag']]);
  expect(await hits(daemon, { query: 'correspondence', modes: ['write'] })).not.toContainEqual(['s.send', 'semantic']);
  expect(await hits(daemon, { query: 'correspondence', server_ids: ['none'] })).toEqual([]);
  expect((await hits(daemon, {})).map(([, ...types]) => types)).toEqual(offered.tools.map(() => []));
  expect(new Set(embeddings.headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer sk-e2e']));
  expect(daemon.logText()).not.toContain('sk-e2e');
});

it('finds nothing outside of a profile, nor what policy denies, and shows a denied tool to no embedder', async () => {
  const embeddings = await startEmbeddingsServer();
  const daemon = await startDaemonProcess(
    configOf(openai(embeddings), {
      policy: { deny: ['s.outlook'] },
      profiles: { narrow: { servers: ['s'], policy: { deny: ['s.send'] } }, none: { servers: [] } },
    }),
    { clockFactor },
  );
  await daemon.connected('s');
  await allThere(daemon, offered.tools.length - 1);
  const inProfile = async (profile: string, query: string) =>
    (
      await daemon.post<{ readonly capabilities: readonly { readonly id: string }[] }>(
        `/v1/capabilities/search?profile=${profile}`,
        { query },
      )
    ).body.capabilities.map(({ id }) => id);
  expect(await hits(daemon, { query: 'correspondence' })).toEqual([['s.send', 'semantic']]);
  expect(await inProfile('narrow', 'correspondence')).not.toContain('s.send');
  expect(await inProfile('none', 'correspondence')).toEqual([]);
  expect(await hits(daemon, { query: 'forecast' })).not.toContainEqual(['s.outlook', 'semantic']);
  expect(embeddings.asked.flat().join()).not.toContain('weather');
});

it('uses words once the embedder is dead, says so, and answers in time', async () => {
  const embeddings = await startEmbeddingsServer();
  const daemon = await startDaemon(configOf(openai(embeddings)));
  await daemon.connected('s');
  await allThere(daemon);
  await embeddings.kill();
  for (const query of ['copy', 'folder', 'letter', 'paper']) {
    const types = (await hits(daemon, { query })).flatMap(([, ...names]) => names);
    expect(types).not.toContain('semantic');
  }
  expect(await hits(daemon, { query: 'copy' })).toEqual([['s.copy', 'lexical']]);
  expect(warnings(daemon)).toHaveLength(1);
  expect(warnings(daemon)[0]?.level).toBe('warn');
  expect(await readMetric(daemon, 'portico_embedder_failures_total')).toBe(2); // then it is left alone
});

it('computes nothing again after a restart', async () => {
  const embeddings = await startEmbeddingsServer();
  const [stateDir, config] = [tempFolder(), configOf(openai(embeddings))];
  const first = await startDaemon(config, { stateDir });
  await allThere(first);
  expect(embeddings.asked.flat()).toHaveLength(offered.tools.length);
  await first.stop();

  const second = await startDaemonProcess(config, { stateDir, clockFactor });
  await allThere(second);
  expect(await hits(second, { query: 'correspondence' })).toEqual([['s.send', 'semantic']]);
  expect(embeddings.asked.flat()).toHaveLength(offered.tools.length + 1);
});

it('uses words if the library of the model is not installed, and says how to install it', async () => {
  const daemon = await startDaemon(configOf({ provider: 'transformers', model: './model' }));
  await daemon.connected('s');
  await eventually(() => expect(warnings(daemon)).toHaveLength(1));
  expect(warnings(daemon)[0]).toEqual({
    level: 'warn',
    reason: expect.stringContaining('run `npm install @huggingface/transformers`'),
  });
  expect(await hits(daemon, { query: 'copy' })).toEqual([['s.copy', 'lexical']]);
});

it('needs a provider that it knows, and its key, at the start', async () => {
  const refusal = async (embeddings: object) => {
    const { code, stderr } = await refusalOf({ mcpServers: {}, search: { embeddings } });
    return [code, stderr];
  };
  const url = 'http://127.0.0.1:9/v1';
  expect(await refusal({ provider: 'openai', url, model: 'm', apiKeyEnv: 'NO_SUCH_KEY' })).toEqual([
    2,
    expect.stringContaining('search.embeddings.apiKeyEnv: environment variable NO_SUCH_KEY is not set'),
  ]);
  expect(await refusal({ provider: 'other', model: 'm' })).toEqual([
    2,
    expect.stringContaining('search.embeddings.provider: '),
  ]);
});

it('keeps its embedder until the next start, after every change of the file', async () => {
  const embeddings = await startEmbeddingsServer();
  const daemon = await startDaemon(configOf(openai(embeddings)));
  await daemon.connected('s');
  await allThere(daemon);
  const { body } = await daemon.get<{ readonly config: unknown; readonly config_path: string }>('/v1/config');
  expect(body.config).toMatchObject({ search: { embeddings: openai(embeddings) } });
  writeFileSync(body.config_path, JSON.stringify({ mcpServers: {}, search: null }));
  await eventually(() =>
    expect(daemon.log()).toContainEqual(
      expect.objectContaining({ level: 'warn', needsRestart: expect.arrayContaining(['search']) }),
    ),
  );
});
