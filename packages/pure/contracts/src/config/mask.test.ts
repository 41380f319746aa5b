// No secret is shown, and a masked value that comes back keeps the stored secret.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json.js';
import { parseJson } from '../parse-json.js';
import { mask, maskSecrets, unmask } from './mask.js';

describe('maskSecrets', () => {
  it('hides every field that holds a secret, and nothing else', () => {
    expect(
      maskSecrets({
        port: 9090,
        authToken: 'S',
        mcpServers: {
          git: { command: 'node', args: ['a.js'], env: { LEVEL: 'S', EMPTY: '' } },
          web: {
            url: 'https://h/mcp',
            headers: { Authorization: 'S', Accept: 'S' },
            auth: { type: 'bearer', token: 'S' },
          },
          basic: { url: 'https://h', auth: { type: 'basic', username: 'me', password: 'S', passwordEnv: 'PW' } },
          oauth: { url: 'https://h', auth: { type: 'oauth2', clientId: 'c', clientSecret: 'S', scopes: ['a'] } },
        },
        policy: {
          redactKeys: ['token'],
          allow: ['web.https://h/?key=*'],
          webhook: { url: 'https://u:S@h/x?t=S', secret: 'S', secretEnv: 'NAME', authHeader: 'S', headers: { X: 'S' } },
        },
        audit: { siem: { targets: [{ type: 'splunk_hec', url: 'https://h', token: 'S', index: 'main' }] } },
        rbac: { tokens: [{ role: 'ops', token: 'S', tokenSha256: 'S', tokenEnv: 'NAME' }] },
        sampling: { provider: { apiKeyEnv: 'NAME', maxTokens: 100 } },
        storage: { url: 'postgres://u:S@h/db' },
      }),
    ).toEqual({
      port: 9090,
      authToken: mask,
      mcpServers: {
        git: { command: 'node', args: ['a.js'], env: { LEVEL: mask, EMPTY: mask } },
        web: {
          url: 'https://h/mcp',
          headers: { Authorization: mask, Accept: mask },
          auth: { type: 'bearer', token: mask },
        },
        basic: { url: 'https://h', auth: { type: 'basic', username: 'me', password: mask, passwordEnv: 'PW' } },
        oauth: { url: 'https://h', auth: { type: 'oauth2', clientId: 'c', clientSecret: mask, scopes: ['a'] } },
      },
      policy: {
        redactKeys: ['token'],
        allow: ['web.https://h/?key=*'],
        webhook: {
          url: `https://${mask}:${mask}@h/x?t=${mask}`,
          secret: mask,
          secretEnv: 'NAME',
          authHeader: mask,
          headers: { X: mask },
        },
      },
      audit: { siem: { targets: [{ type: 'splunk_hec', url: 'https://h', token: mask, index: 'main' }] } },
      rbac: { tokens: [{ role: 'ops', token: mask, tokenSha256: mask, tokenEnv: 'NAME' }] },
      sampling: { provider: { apiKeyEnv: 'NAME', maxTokens: 100 } },
      storage: { url: `postgres://${mask}:${mask}@h/db` },
    });
  });

  it.each([
    'token',
    'accessToken',
    'api_key',
    'apiKey',
    'API-KEY',
    'privateKey',
    'passphrase',
    'Authorization',
    'cookie',
  ])('hides a field that Portico does not know by its name: %s', (name) => {
    expect(maskSecrets({ plugin: { deep: [{ [name]: 'S' }], [name]: ['S'] } })).toEqual({
      plugin: { deep: [{ [name]: mask }], [name]: [mask] },
    });
  });

  it('hides every value under a secret name', () => {
    expect(
      maskSecrets({
        secrets: { github: 'S', more: [{ x: 'S' }] },
        credentials: { user: 'S', pin: 1234 },
        password: 1234,
        privateKeyPem: 'S',
        tokenValue: 'S',
        args: ['--pat', 'S'],
        maxTokens: 100,
        tokenUrl: 'https://h/x',
      }),
    ).toEqual({
      secrets: { github: mask, more: [{ x: mask }] },
      credentials: { user: mask, pin: mask },
      password: mask,
      privateKeyPem: mask,
      tokenValue: mask,
      args: ['--pat', mask],
      maxTokens: 100,
      tokenUrl: 'https://h/x',
    });
  });

  it('hides all that an unknown `env` or `headers` holds, however deep', () => {
    expect(maskSecrets({ plugin: { env: { A: { b: ['S', 1, true, null] } }, headers: { c: 'S' } } })).toEqual({
      plugin: { env: { A: { b: [mask, mask, true, null] } }, headers: { c: mask } },
    });
  });

  it('takes ids for names that people choose, for all ids', () => {
    const file = {
      mcpServers: { env: { command: 'a' }, token: { command: 'b' }, url: { url: 'https://h' }, args: { args: ['x'] } },
      capabilityAliases: { token: 'env.read', password: { target: 'env.write', summary: 'Writes.' } },
      resourceAliases: { secret: 'web.https://u@h/?q=1' },
      profiles: { headers: { servers: ['env'], description: 'all' } },
    };
    expect(maskSecrets(file)).toEqual(file);
  });

  it('keeps a name such as __proto__', () => {
    const file = JSON.parse('{"mcpServers": {"__proto__": {"env": {"__proto__": "S"}}}}');
    expect(JSON.stringify(maskSecrets(file))).toBe(`{"mcpServers":{"__proto__":{"env":{"__proto__":"${mask}"}}}}`);
  });
});

describe('an address', () => {
  it.each([
    ['https://h/a?b', `https://h/a?${mask}`],
    ['https://h/a?b=1&c=&d', `https://h/a?b=${mask}&c=${mask}&${mask}`],
    ['https://me@h:1/', `https://${mask}@h:1/`],
    ['https://a@b:c@h/x@y', `https://${mask}:${mask}@h/x@y`],
    ['https://h/#token=1', `https://h/#${mask}`],
    ['  https://u:p@h', `  https://${mask}:${mask}@h`],
    ['https:/u:p@h', mask],
    ['https:\\\\u:p@h', mask],
    ['h?key=1', mask],
    ['https://h/mcp', 'https://h/mcp'],
    ['env://NAME', 'env://NAME'],
  ])('%s is shown as %s', (url, shown) => {
    expect(maskSecrets({ url })).toEqual({ url: shown });
  });
});

describe('an argument', () => {
  it.each<readonly [readonly string[], readonly string[]]>([
    [['--api-key=S'], [`--api-key=${mask}`]],
    [
      ['--api-key', 'S', 'x'],
      ['--api-key', mask, 'x'],
    ],
    [
      ['--token', '-S'],
      ['--token', mask],
    ],
    [
      ['--token', '--verbose'],
      ['--token', '--verbose'],
    ],
    [['-token=S=S'], [`-token=${mask}`]],
    [['--github.token=S'], [`--github.token=${mask}`]],
    [
      ['run', '-e', 'LEVEL=S', '--env', 'A=S', '--env=B=S', '-e', 'NAME'],
      ['run', '-e', `LEVEL=${mask}`, '--env', `A=${mask}`, `--env=B=${mask}`, '-e', 'NAME'],
    ],
    [
      ['API_TOKEN=S', 'MODE=fast'],
      [`API_TOKEN=${mask}`, 'MODE=fast'],
    ],
    [
      ['--header', 'Authorization: Bearer S', '-H', 'X-Id:S'],
      ['--header', `Authorization: ${mask}`, '-H', `X-Id:${mask}`],
    ],
    [
      ['--db=postgres://u:S@h/d', 'https://h/?k=S'],
      [`--db=postgres://${mask}:${mask}@h/d`, `https://h/?k=${mask}`],
    ],
    [
      ['--config', '{"apiKey": "S", "n": 1}'],
      ['--config', `{"apiKey":"${mask}","n":1}`],
    ],
    [
      ['--config', '{"n": 1}', '{broken'],
      ['--config', '{"n": 1}', '{broken'],
    ],
    [
      ['-y', '@scope/server', '/home/me', '--port', '80', '-'],
      ['-y', '@scope/server', '/home/me', '--port', '80', '-'],
    ],
  ])('%j is shown as %j', (args, shown) => {
    expect(maskSecrets({ args })).toEqual({ args: shown });
  });

  it('that nests without end is left alone', () => {
    const args = [`{"a":${'['.repeat(100_000)}`];
    expect(maskSecrets({ args })).toEqual({ args });
  });
});

const restore = (given: JsonObject, stored: JsonObject) => unmask(given, stored, maskSecrets(stored), ['server']);
const noneStored = (path: string) => ({
  ok: false,
  issues: [{ path, message: `holds ${mask}, but nothing is stored for it; give the value` }],
});

describe('unmask', () => {
  it('puts back what is stored where the text is what was shown', () => {
    const stored = { env: { A: '1', B: '2' }, args: ['--key=k', 'x'], url: 'https://h/?a=b' };
    const given = { ...maskSecrets(stored), env: { A: mask, C: 'new' } };
    expect(restore(given, stored)).toEqual({
      ok: true,
      value: { env: { A: '1', C: 'new' }, args: ['--key=k', 'x'], url: 'https://h/?a=b' },
    });
  });

  it('refuses a mask with nothing behind it, with its path', () => {
    expect(restore({ env: { 'A.B': mask } }, {})).toEqual(noneStored('server.env["A.B"]'));
    expect(restore({ args: ['a', `--key=${mask}`] }, { args: ['a'] })).toEqual(noneStored('server.args[1]'));
    expect(restore({ url: `https://other/?a=${mask}` }, { url: 'https://h/?a=b' })).toEqual(noneStored('server.url'));
    expect(restore({ env: { toString: mask } }, { env: {} })).toEqual(noneStored('server.env.toString'));
  });

  it('finds an argument by the flag before it, wherever it is now', () => {
    const stored = { args: ['--token', 't', '--password', 'p'] };
    expect(restore({ args: ['-v', '--password', mask, '--token', mask] }, stored)).toEqual({
      ok: true,
      value: { args: ['-v', '--password', 'p', '--token', 't'] },
    });
    expect(restore({ args: ['--secret', mask] }, stored)).toEqual(noneStored('server.args[1]'));
  });

  it('finds objects of a list by their place', () => {
    const stored = { list: [{ token: 'a' }, { token: 'b' }] };
    expect(restore({ list: [{ token: mask }, { token: mask, more: 1 }] }, stored)).toEqual({
      ok: true,
      value: { list: [{ token: 'a' }, { token: 'b', more: 1 }] },
    });
  });

  it('keeps a value that is a mask by itself', () => {
    const stored = { env: { A: mask }, note: mask };
    expect(restore(maskSecrets(stored), stored)).toEqual({ ok: true, value: stored });
  });

  it('gives back everything that was shown and not touched', () => {
    const names = fc.constantFrom('env', 'headers', 'args', 'url', 'token', 'auth', 'profiles', 'x', '__proto__', mask);
    const texts = fc.oneof(
      fc.constantFrom('--api-key', '--key=a', 'https://u:p@h/?a=b#c', '-e', 'A_TOKEN=b', '{"token":"x"}', mask, ''),
      fc.string(),
    );
    const { value } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        texts,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        tie('object'),
      ),
      object: fc.dictionary(names, tie('value'), { noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(fc.dictionary(names, value, { noNullPrototype: true }), (stored) => {
        for (const show of [maskSecrets]) {
          const shown: JsonObject = parseJson(JSON.stringify(show(stored)));
          expect(unmask(shown, stored, show(stored))).toEqual({ ok: true, value: stored });
        }
      }),
      { numRuns: 300 },
    );
  });
});
