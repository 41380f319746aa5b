// `portico token`: the file gets digests and keeps its comments, the token is printed once, and a running daemon takes
// each change at once.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { porticoAt } from './support/cli.js';
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
    const portico = porticoAt(at, { ...env, PORTICO_TOKEN: '' });
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
