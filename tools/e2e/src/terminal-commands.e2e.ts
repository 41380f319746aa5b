// Plain commands on a terminal: tables that fit it, colours, and questions that a person answers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { keys, openTerminal } from './support/terminal.js';
import { asking, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const home = tempFolder();
const cursor = join(home, '.cursor/mcp.json');

const upstream = asking('modern');
const waiting = { first: asking('legacy'), second: asking('legacy') };

let daemon: Daemon;

beforeAll(async () => {
  mkdirSync(join(home, '.cursor'), { recursive: true });
  writeFileSync(cursor, '{\n  // mine\n  "mcpServers": {}\n}\n');
  const desk = scripted({ tools: [tool('add', { description: `Adds ${'very '.repeat(60)}large numbers` })] });
  const env = { HOME: home, XDG_CONFIG_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  daemon = await startDaemon(
    {
      mcpServers: {
        desk: desk.server,
        asks: upstream.server,
        first: waiting.first.server,
        second: waiting.second.server,
      },
    },
    { env },
  );
  await daemon.connected();
});

const portico = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  openTerminal(args, { columns: 60, env: { PORTICO_URL: daemon.url, ...env } });

describe('a table', () => {
  it('fits the terminal and is painted, but not for those who want no colour', async () => {
    const terminal = portico(['list']);
    expect(await terminal.exited).toBe(0);
    const [heading = '', row = ''] = terminal.screen().filter((line) => /^(ID|desk\.add)/.test(line));
    expect([heading.split(/\s+/)[0], row.split(/\s+/)[0], row.endsWith('…')]).toEqual(['ID', 'desk.add', true]);
    expect(terminal.written()).toContain('\u001b[1m');
    const plain = portico(['list'], { NO_COLOR: '1' });
    expect(await plain.exited).toBe(0);
    expect(plain.written()).not.toContain('\u001b[1m');
  });
});

describe('a question of a server', () => {
  it('is asked, and the call goes on with the answer', async () => {
    const terminal = portico(['call', 'asks.ask']);
    await terminal.shows('who?');
    await terminal.shows('name');
    terminal.press('Ann', keys.enter);
    await terminal.shows('done');
    expect(await terminal.exited).toBe(0);
    expect(upstream.received('tools/call').at(-1)?.params).toMatchObject({
      inputResponses: { 'round-1': { action: 'accept', content: { name: 'Ann' } } },
    });
  });

  it.each([
    ['Ctrl-C', keys.interrupt, 130, 'first'],
    ['the end of the input', '\u0004', 1, 'second'],
  ] as const)('is cancelled at its server by %s', async (_, key, code, server) => {
    const terminal = portico(['call', `${server}.ask`, '--request-id', `by-${code}`]);
    await terminal.shows('name: ');
    terminal.press(key);
    expect(await terminal.exited).toBe(code);
    expect((await daemon.post(`/v1/operations/by-${code}/cancel`, {})).body).toMatchObject({ cancelled: false });
    await eventually(() => expect(waiting[server].received('notifications/cancelled')).toHaveLength(1));
  });
});

describe('adding a server that is there', () => {
  it('asks before it replaces it', async () => {
    const add = ['server', 'add', 'desk', '--', 'other-program'];
    const refused = portico(add);
    await refused.shows('server "desk" is configured already; replace it? [y/N]');
    refused.press('n', keys.enter);
    expect(await refused.exited).toBe(1);
    expect(await daemon.server('desk')).toMatchObject({ status: 'connected' });
  });
});

describe('attaching a client', () => {
  it('shows the change and asks before it writes', async () => {
    const before = readFileSync(cursor, 'utf8');
    const refused = portico(['clients', 'attach', 'cursor']);
    await refused.shows('+ ');
    await refused.shows('[y/N]');
    refused.press('n', keys.enter);
    expect(await refused.exited).toBe(1);
    expect(readFileSync(cursor, 'utf8')).toBe(before);
    const agreed = portico(['clients', 'attach', 'cursor']);
    await agreed.shows('[y/N]');
    agreed.press('y', keys.enter);
    await agreed.shows('written');
    expect(await agreed.exited).toBe(0);
    expect(readFileSync(cursor, 'utf8')).toContain('"portico"');
    expect(readFileSync(cursor, 'utf8')).toContain('// mine');
  });
});
