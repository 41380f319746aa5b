// Mistakes in a configuration: a misspelt field that would leave something unprotected is refused, another is named,
// and a rule that matches nothing is named and in force nevertheless.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { portico, porticoAt } from './support/cli.js';
import { refusalOf, startDaemon } from './support/daemon.js';
import { placeOf } from './support/mcp.js';
import { fixture } from './support/upstreams.js';

const misspelt = { mcpServers: {}, polcy: { deny: ['*'] }, policy: { denny: ['plain.echo'] } };
const said = [
  'polcy: is no field that Portico knows; did you mean "policy"?',
  'policy.denny: is no field that Portico knows; did you mean "deny"?',
];

function fileOf(content: object): string {
  const file = join(tempFolder(), 'mcp_servers.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('a misspelt policy', () => {
  it('keeps a daemon from starting, with exit code 2', async () => {
    const refusal = await refusalOf(misspelt);
    expect(refusal.code).toBe(2);
    for (const line of said) expect(refusal.stderr).toContain(line);
  });

  it('is refused by a reload, which changes nothing', async () => {
    const place = placeOf({ mcpServers: {}, policy: { deny: ['a.b'] } });
    const daemon = await startDaemon(undefined, place);
    writeFileSync(place.configFile, JSON.stringify(misspelt));
    const reloaded = await daemon.post('/v1/config/reload', {});
    expect(reloaded).toMatchObject({ status: 400, body: { error: { code: 'INVALID_ARGS' } } });
    for (const line of said) expect(JSON.stringify(reloaded.body)).toContain(JSON.stringify(line).slice(1, -1));
    const { body } = await daemon.get<{ config: { policy: object } }>('/v1/config');
    expect(body.config.policy).toEqual({ deny: ['a.b'] });
  });

  it.each([[['validate']], [['config', 'validate']]])('is refused by %j, with exit code 2', async (command) => {
    const ended = await portico([...command, fileOf(misspelt)]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    for (const line of said) expect(ended.stderr).toContain(line);
  });
});

it('another unknown field is a warning, and an error with --strict; a write keeps it', async () => {
  const place = placeOf({ port: 0, mcpServers: {}, prt: 1, notes: 'mine' });
  const warnings = [
    'prt: no field of Portico; it has no effect; did you mean "port"?',
    'notes: no field of Portico; it has no effect',
  ];
  expect(await portico(['validate', place.configFile])).toMatchObject({ code: 0, stderr: `${warnings.join('\n')}\n` });
  const strict = await portico(['validate', '--strict', '--json', place.configFile]);
  expect([strict.code, strict.json()]).toEqual([2, expect.objectContaining({ ok: false, issues: [] })]);
  const daemon = await startDaemon(undefined, place);
  expect((await daemon.post('/v1/config/policy', { deny: ['a.b'] })).status).toBe(200);
  expect(JSON.parse(readFileSync(place.configFile, 'utf8'))).toMatchObject({ prt: 1, notes: 'mine' });
});

it('a rule that matches nothing is in force, and named by validate, doctor and the service', async () => {
  const place = placeOf({
    port: 0,
    mcpServers: { plain: fixture() },
    policy: { deny: ['plain.echoo', 'plain.echo'], requireApproval: ['plain.sl*'] },
    capabilityAliases: { gone: 'plain.gone' },
  });
  const daemon = await startDaemon(undefined, place);
  await daemon.connected();
  const unmatched = [
    { path: 'policy.deny[0]', pattern: 'plain.echoo' },
    { path: 'capabilityAliases.gone', pattern: 'plain.gone' },
  ];
  expect((await daemon.get('/v1/config/policy/unmatched')).body).toEqual({ ok: true, unmatched });
  const at = porticoAt(place);
  const lines = unmatched.map(({ path, pattern }) => `${path}: "${pattern}" matches nothing that the servers list`);
  expect(await at(['validate'])).toMatchObject({ code: 0, stderr: `${lines.join('\n')}\n` });
  expect((await at(['validate', '--strict'])).code).toBe(2);
  const doctor = await at(['doctor', '--offline']);
  for (const line of lines) expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain(line);
});

it.each([
  ['that breaks off', (response: ServerResponse) => response.destroy()],
  ['that answers with something else', (response: ServerResponse) => response.end('<html>')],
])('a valid file stays valid beside a daemon %s, which is a note', async (_what, answer) => {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') response.end('{"ok":true}');
    else answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanup(() => server.close());
  const { port } = server.address() as AddressInfo;
  const file = fileOf({ mcpServers: {} });
  const validated = await portico(['validate', '--strict', file, '--url', `http://127.0.0.1:${port}`]);
  expect([validated.code, validated.stdout]).toEqual([0, `${file}: valid, 0 servers\n`]);
  expect(validated.stderr).toContain('the running daemon was not asked for rules that match nothing: ');
});
