// Spellings of a file's URI that a real server reads as that file, and servers that take the URIs of others for themselves.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import type { Envelope } from './support/wire.js';

const serverPath = fileURLToPath(new URL('./support/file-server.mjs', import.meta.url));

describe('a rule on one file holds for every URI that the server reads that file for', () => {
  const folder = tempFolder();
  const secret = pathToFileURL(join(folder, 'private.key')).href;
  const open = pathToFileURL(join(folder, 'open.txt')).href;
  const journal = join(folder, 'journal');
  const reads = () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []);
  const fromFolder = (path: string) => `${pathToFileURL(folder).href}/${path}`;
  let denied: Daemon;
  let gated: Daemon;
  let allowed: Daemon;
  const read = (daemon: Daemon, uri: string) =>
    daemon.post<Envelope>('/v1/resources/read', { resource_id: `files.${uri}` });

  beforeAll(async () => {
    writeFileSync(join(folder, 'private.key'), 'the private key');
    writeFileSync(join(folder, 'open.txt'), 'for all');
    const mcpServers = { files: { command: process.execPath, args: [serverPath, journal] } };
    const start = async (policy: object) => {
      const daemon = await startDaemon({ mcpServers, policy });
      await daemon.connected();
      return daemon;
    };
    [denied, gated, allowed] = await Promise.all([
      start({ deny: [`files.${secret}`] }),
      start({ requireApproval: [`files.${secret}`] }),
      start({ allow: ['files.*.txt'] }),
    ]);
  });

  const spellings = [
    ...['#', '#x', '?', '?v=1', '?#', '?v=1#x', '#?', '#.txt', '?.txt', '?x=/../open.txt'].map((end) => secret + end),
    ...[' ', '\t', '%20', '.', '/', '/.', ';v=1', '%3Bv=1', '%00', '%00.txt', '%23', '%3F', '::$DATA'].map(
      (end) => secret + end,
    ),
    secret.replace('private', '%70rivate'),
    secret.replace('private', '%2570rivate'),
    secret.replace('private', '%70rivate').replace('key', '%6bey#x'),
    secret.replace('private', 'PRIVATE'),
    secret.replace('private', 'ｐrivate'),
    secret.replace('private', 'pri\u200dvate'),
    secret.replace('file:///', 'file://localhost/'),
    secret.replace('file:///', 'file://LOCALHOST/').concat('#'),
    secret.replace('file:///', 'file:///x/../').concat('?'),
    secret.replace('file:///', 'file:////'),
    secret.replace('file:///', 'file:///\\'),
    secret.replace('private', '/private').concat('#'),
    secret.replace('private', './private').concat('#'),
    fromFolder('x/%2e%2e/private.key?'),
    fromFolder('x\\..\\private.key#'),
    fromFolder('priv\nate.key#'),
  ];

  it.each(spellings)('is denied, and the server reads nothing: %j [policy-execution-time]', async (uri) => {
    const before = reads();
    const { body } = await read(denied, uri);
    expect([body.ok, body.error.code]).toEqual([false, 'POLICY_DENIED']);
    expect(body.error.message).toContain(`the deny rule "files.${secret}" covers it`);
    expect(reads()).toEqual(before);
  });

  it.each(spellings)('waits for approval, and the server reads nothing: %j [approval-gate-no-contact]', async (uri) => {
    const before = reads();
    const { body } = await read(gated, uri);
    expect([body.ok, body.error.code]).toEqual([false, 'APPROVAL_PENDING']);
    expect(reads()).toEqual(before);
  });

  it.each(['#.txt', '?.txt', '?v=1#a.txt', '#/../open.txt'])(
    'is not allowed by a rule for what stands behind the path: %j [policy-allow-deny]',
    async (end) => {
      const before = reads();
      const { body } = await read(allowed, secret + end);
      expect([body.ok, body.error.code]).toEqual([false, 'RESOURCE_NOT_FOUND']);
      expect(reads()).toEqual(before);
    },
  );

  it('lets other files through with the URI as it was given [policy-execution-time]', async () => {
    for (const daemon of [denied, gated, allowed]) {
      const before = reads().length;
      expect((await read(daemon, open)).status).toBe(200);
      expect(reads().slice(before)).toEqual([join(folder, 'open.txt')]);
    }
    const { body } = await read(denied, `${open}#part`);
    expect(body).toMatchObject({ ok: true, data: { contents: [{ uri: `${open}#part`, text: 'for all' }] } });
  });

  it('does the same for spellings with scheme in upper case and for missing slashes, if any template takes them', async () => {
    const before = reads();
    for (const uri of [secret.replace('file:', 'FILE:'), secret.replace('file://', 'file:'), `${secret.slice(7)}#`]) {
      const { body } = await read(denied, uri);
      expect(['POLICY_DENIED', 'RESOURCE_NOT_FOUND']).toContain(body.error.code);
    }
    expect(reads()).toEqual(before);
  });
});
