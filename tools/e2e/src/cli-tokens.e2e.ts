// `portico token`: the file gets digests and keeps its comments, the token is printed once, and a running daemon takes
// each change at once.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { portico, porticoAt } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { placeOf } from './support/mcp.js';

const text = `{
  "port": 0,
  "mcpServers": {},
  "access": { "operatorToken": true },
  "rbac": {
    // Who may do what.
    "roles": { "ops": { "admin": true }, "reader": {} },
    "tokens": [
      // Kept from before.
      { "role": "reader", "tokenEnv": "OLD_TOKEN" }
    ]
  }
}
`;
const env = { OLD_TOKEN: 'old' };
const sha256 = (token: string) => createHash('sha256').update(token).digest('hex');

function place() {
  const made = placeOf({});
  writeFileSync(made.configFile, text);
  return { ...made, file: () => readFileSync(made.configFile, 'utf8') };
}

describe('with a running daemon', () => {
  it('a token counts when it is made, its successor when it is rotated, and none when it is revoked', async () => {
    const { file, ...at } = place();
    const daemon = await startDaemon(undefined, { ...at, env });
    const portico = porticoAt(at, env);
    const statusWith = async (token: string) =>
      (await daemon.send('/v1/config', { headers: { Authorization: `Bearer ${token}` } })).status;

    const created = await portico(['token', 'create', 'ann', '--role', 'ops']);
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^portico_[\w-]{43}\n$/)]);
    const first = created.stdout.trim();
    expect(await statusWith(first)).toBe(200);
    expect(file()).toContain(sha256(first));
    expect(file()).not.toContain(first);
    for (const comment of ['// Who may do what.', '// Kept from before.']) expect(file()).toContain(comment);

    const second = (await portico(['token', 'rotate', 'ann', '--token', first, '--json'])).json<{ token: string }>()
      .token;
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);

    const { tokens } = (await portico(['token', 'list', '--json'])).json<{ tokens: object[] }>();
    expect(tokens).toEqual([
      { index: 0, name: null, role: 'reader', kind: 'env', sha256: null },
      { index: 1, name: 'ann', role: 'ops', kind: 'sha256', sha256: sha256(second) },
    ]);
    expect((await portico(['token', 'revoke', sha256(second).slice(0, 12), '--token', second])).code).toBe(0);
    expect(await statusWith(second)).toBe(401);
    expect(file()).not.toContain('ann');
  });
});

describe('with --url or PORTICO_URL', () => {
  /** One configuration in the working directory, and a daemon that has another. */
  async function besideAnother() {
    const there = place();
    const user = { ...env, HOME: tempFolder(), XDG_RUNTIME_DIR: '' };
    const folder = tempFolder();
    const local = join(folder, 'mcp_servers.json');
    writeFileSync(local, text);
    const daemon = await startDaemon(undefined, { ...there, env: user });
    return { daemon, there, local, options: { cwd: folder, env: user } };
  }

  it('the file of the daemon at that address is changed, and no other', async () => {
    const { daemon, there, local, options } = await besideAnother();
    const create = ['token', 'create', 'ann', '--role', 'ops'];
    const created = await portico([...create, '--url', daemon.url], options);
    expect([created.code, created.stderr]).toEqual([0, expect.stringContaining('this token is shown once')]);
    expect(there.file()).toContain(sha256(created.stdout.trim()));
    const withUrl = { ...options, env: { ...options.env, PORTICO_URL: daemon.url } };
    expect((await portico(['token', 'revoke', 'ann'], withUrl)).code).toBe(0);
    expect(there.file()).not.toContain('ann');
    expect(readFileSync(local, 'utf8')).toBe(text);
  });

  it('a daemon that is not known makes the file necessary', async () => {
    const { local, options } = await besideAnother();
    for (const command of [
      ['create', 'ann', '--role', 'ops'],
      ['revoke', 'ann'],
    ]) {
      const refused = await portico(['token', ...command, '--url', 'http://127.0.0.1:9'], options);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('no running daemon of yours has the address http://127.0.0.1:9');
      expect(refused.stderr).toContain('--config FILE');
    }
    expect(readFileSync(local, 'utf8')).toBe(text);
  });
});

it('a token is printed though the daemon does not reload, which is a note', async () => {
  const { file, ...at } = place();
  await startDaemon(undefined, { ...at, env });
  const create = ['token', 'create', 'ann', '--role', 'ops', '--token', 'no token'];
  const created = await porticoAt(at, env)(create);
  expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^portico_[\w-]{43}\n$/)]);
  expect(created.stderr).toContain('the file is written; the daemon did not reload it (the token has spaces');
  expect(file()).toContain(sha256(created.stdout.trim()));
});

it.each([
  [['create', 'ann', '--role', 'boss'], 'there is no role "boss" in rbac.roles of'],
  [['create', 'ann'], "required option '--role <role>' not specified"],
  [['rotate', 'nobody'], 'there is no token "nobody"; "portico token list" shows names and digests'],
  [['revoke', 'nobody'], 'there is no token "nobody"'],
])('token %j is refused with exit code 2, and the file stays', async (args, said) => {
  const { file, ...at } = place();
  const ended = await porticoAt(at, env)(['token', ...args]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(said);
  expect(file()).toBe(text);
});

it('a name is taken once', async () => {
  const { file, ...at } = place();
  const portico = porticoAt(at, env);
  expect((await portico(['token', 'create', 'ann', '--role', 'reader'])).code).toBe(0);
  const before = file();
  const again = await portico(['token', 'create', 'ann', '--role', 'ops']);
  expect([again.code, again.stderr, file()]).toEqual([
    2,
    expect.stringContaining('there is a token "ann"; replace it with "portico token rotate ann"'),
    before,
  ]);
});
