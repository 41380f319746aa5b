// A server of npm that is updated while a lock is enforced: two published versions whose definitions differ.
import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNpm } from './install.js';
import { type Portico, startPortico } from './portico.js';
import { repository } from './repository.js';
import { serversFolder } from './servers.js';

export interface UpdateRun {
  readonly problems: readonly string[];
  /** Output of `portico lock diff` about the update. */
  readonly shown: readonly string[];
  readonly leftOut?: string;
}

const name = '@modelcontextprotocol/server-memory';

export async function tryUpdate(): Promise<UpdateRun> {
  const before = installNpm('servers-npm-before', `${serversFolder}npm-before`);
  if (before.kind === 'left-out') return { problems: [], shown: [], leftOut: before.reason };
  const folder = mkdtempSync(join(tmpdir(), 'portico-update-'));
  const link = join(folder, 'server');
  /** As a package manager replaces a package: the configuration stays as it is. */
  const install = (root: string) => symlinkSync(join(root, 'node_modules', name), link, 'junction');
  install(before.folder);
  const server = { command: process.execPath, args: [join(link, 'dist/index.js')] };
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
  const portico = await startPortico({ memory: { ...server, env } }, { lock: { mode: 'enforce' } });
  try {
    return await update(portico, () => {
      unlinkSync(link);
      install(repository);
    });
  } finally {
    await portico.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function update(portico: Portico, replace: () => void): Promise<UpdateRun> {
  const problems: string[] = [];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    problems.push(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  };
  expect('nothing is listed without a lock', await listed(portico), 0);
  expect('lock init', (await portico.lock('init')).code, 0);
  const first = await listed(portico);
  expect('the earlier version is listed', first > 0, true);
  expect('and runs', await call(portico), 'ok');

  replace();
  await portico.restart();
  expect('nothing of the update is listed', await listed(portico), 0);
  expect('and nothing runs', await call(portico), 'definition_changed');
  const diff = await portico.lock('diff');
  expect('lock diff is dangerous', diff.code, 12);
  for (const part of ['server:memory  held', '2025.8.4', '2026.8.31', 'tool:memory.']) {
    expect(`lock diff names ${part}`, diff.text.includes(part), true);
  }
  expect('lock accept', (await portico.lock('accept', '--all', '--operator', 'interop')).code, 0);
  expect('the update is listed', (await listed(portico)) > 0, true);
  expect('and runs once it is accepted', await call(portico), 'ok');
  expect('lock diff is empty', (await portico.lock('diff')).code, 0);
  return { problems, shown: headsOf(diff.text) };
}

/** One line for each difference, without its texts. */
function headsOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
}

async function listed({ url }: Portico): Promise<number> {
  const answer = await (await fetch(`${url}/v1/capabilities`)).text();
  const { capabilities }: { readonly capabilities: readonly unknown[] } = JSON.parse(answer);
  return capabilities.length;
}

/** `ok`, or why a tool that both versions have was not called. */
async function call({ url }: Portico): Promise<string> {
  const answer = await fetch(`${url}/v1/tools/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ capability_id: 'memory.read_graph', args: {} }),
  });
  const {
    ok,
    error,
  }: { readonly ok: boolean; readonly error?: { readonly reason?: string; readonly message: string } } = JSON.parse(
    await answer.text(),
  );
  return ok ? 'ok' : (error?.reason ?? error?.message ?? 'no answer');
}
