// Where a person has to do something before a command can end: a server's question in a pipe, and a login.
import { describe, expect, it, vi } from 'vitest';
import { porticoAt, startPortico } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { openInBrowser, startLoginServer } from './support/logins.js';
import { argsOf, placeOf } from './support/mcp.js';
import { asking } from './support/upstreams.js';
import { eventually } from './support/wait.js';

vi.setConfig({ testTimeout: 120_000 }); // a process for every command, and the machine may be busy

async function start(config: object) {
  const place = placeOf(config);
  const daemon = await startDaemon(undefined, place);
  return { place, daemon, portico: porticoAt(place) };
}

describe('a question of a server', () => {
  it('is shown in a pipe with the way to answer it, and is answered that way', async () => {
    const { daemon, portico } = await start({ mcpServers: { s: asking('legacy').server } });
    await daemon.connected();
    const { data } = (await portico(['call', 's.ask', '--json'])).json<{
      data: { inputRequests: object; requestState: string };
    }>();
    const [key = ''] = Object.keys(data.inputRequests);
    const responses = JSON.stringify({ [key]: { action: 'accept', content: { name: 'Ann' } } });
    const flags = ['--request-state', data.requestState, '--input-responses', responses];
    const answered = await portico(['call', 's.ask', ...flags, '--json']);
    expect([answered.code, answered.stderr]).toEqual([0, '']);
    expect(answered.stdout).toContain('Ann');
    expect(await portico(['call', 's.ask', ...flags])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^INVALID_ARGS: /),
    });
  });

  it('is declined at once in a pipe, and the question that needs more than a no cancels the call', async () => {
    const upstream = asking('legacy');
    const { daemon, portico } = await start({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const onlyReplies = ['--jsonpath', '$.structuredContent.replies'];
    const declined = await portico(['call', 's.ask', ...onlyReplies]);
    const how = expect.stringMatching(
      /^the server asks: who\?\nthere is no terminal to answer on: declined; --json .*\n$/,
    );
    expect(declined).toMatchObject({ code: 0, stderr: how });
    expect(JSON.parse(declined.stdout)).toEqual([{ action: 'decline' }]);
    const roots = ['method=roots/list', '--accept-input', 'roots'];
    expect(await portico(['call', 's.ask', ...roots, '--request-id', 'r'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('there is no terminal to answer on: the call was cancelled'),
    });
    await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
  });

  it('for roots is answered from the configuration, or asked where the command says so', async () => {
    const roots = [{ uri: 'file:///srv/work' }];
    const { daemon, portico } = await start({ mcpServers: { s: asking('legacy').server }, roots });
    await daemon.connected();
    const call = ['call', 's.ask', 'method=roots/list', '--json'];
    const asked = (await portico(call)).json<{ data: { structuredContent: object } }>();
    expect(asked.data.structuredContent).toEqual({ replies: [{ roots }] });
    expect((await portico([...call, '--accept-input', 'roots'])).stdout).toContain('input_required');
    expect(await portico(['call', 's.ask', '--accept-input', 'root'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('did you mean "roots"?'),
    });
  });
});

describe('a login', () => {
  it('is shown as a link, and waited for', async () => {
    const server = await startLoginServer();
    const { place, portico } = await start({ mcpServers: { git: { url: server.url } } });
    const login = startPortico([...argsOf(place), 'login', 'git']);
    const link = await eventually(() => {
      const [, found] = /^(http\S+)$/m.exec(login.stderr()) ?? [];
      expect(found).toBeDefined();
      return found ?? '';
    });
    await openInBrowser(link);
    expect(await login.exited).toMatchObject({ code: 0, stdout: 'git: connected\n' });
    expect(await portico(['login', 'git'])).toMatchObject({ code: 0, stdout: 'git: connected\n', stderr: '' });
    expect(await portico(['login', 'nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no server "nobody"/),
    });
  });
});
