// The command against a running daemon, one test a group of commands: tables for people, JSON for programs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { porticoAt, startPortico } from './support/cli.js';
import type { Daemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { argsOf, type DaemonFiles, placeOf } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

vi.setConfig({ testTimeout: 120_000 }); // many commands, and the machine may be busy

const upstream = () =>
  scripted({
    tools: [
      tool('add', {
        description: 'Adds two numbers. And nothing else.',
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'number', description: 'one' }, b: { type: 'number' } },
          required: ['a'],
        },
      }),
      ...['gated', 'never', 'fail', 'tool_error', 'complain', 'pain\u001b[31mted'].map((name) => tool(name)),
      tool('evil', { description: 'Clears\u001b[2J your \u001b]0;title\u0007screen\u202e.' }),
    ],
    resources: [{ uri: 'test://doc', name: 'doc', mimeType: 'text/plain' }],
    prompts: [{ name: 'greet', arguments: [{ name: 'city', required: true }] }],
  });

let place: DaemonFiles;
let daemon: Daemon;
let portico: ReturnType<typeof porticoAt>;

beforeAll(async () => {
  place = placeOf({
    mcpServers: { s: upstream().server },
    policy: { requireApproval: ['s.gated'] },
    toolTimeoutMs: 600_000, // a call goes on until a command has found it
  });
  // A command that adds a server waits 5 s on the daemon's clock for its first connection.
  daemon = await startDaemonProcess(undefined, { ...place, clockFactor: 0.2 });
  await daemon.connected();
  portico = porticoAt(place);
});

const ok = async (...args: readonly string[]) => {
  const result = await portico(args);
  expect([args.join(' '), result.code, result.stderr]).toEqual([args.join(' '), 0, '']);
  return result;
};

describe('the catalog', () => {
  it('is found by the configuration file, listed, searched and described [cli-command]', async () => {
    const listed = await ok('list');
    expect(listed.stdout).toMatch(/^ID +SUMMARY\ns\.add +Adds two numbers\.\n/);
    expect((await ok('list', '--json')).json()).toEqual((await daemon.list('capabilities')).body);
    expect((await ok('list', 'resources')).stdout).toContain('s.test://doc');
    expect((await ok('list', 'prompts')).stdout).toMatch(/s\.greet +city/);
    expect((await ok('search', 'add', 'numbers', '--limit', '1')).stdout).toMatch(/^ID .*\ns\.add /);
    const described = await ok('describe', 's.add');
    expect(described.stdout).toMatch(/ARGUMENT +TYPE +REQUIRED +DESCRIPTION\na +number +yes +one\nb +number +no +-\n/);
    expect((await ok('events')).stdout).toMatch(/added +capability +s\.add/);
  });

  it('is the one that HTTP clients have, changes included [cli-command]', async () => {
    await ok('config', 'alias', 'set', 'plus', 's.add', '--summary', 'Adds');
    expect(await daemon.ids('capabilities')).toContain('plus');
    expect((await ok('config', 'alias', 'list')).stdout).toMatch(/plus +tool +s\.add/);
    await ok('config', 'alias', 'remove', 'plus');
    expect(await daemon.ids('capabilities')).not.toContain('plus');
  });
});

describe('calls', () => {
  it('take arguments as pairs, JSON, files and stdin, and print texts', async () => {
    const args = async (given: readonly string[], input?: string) => {
      const result = await portico(['call', 's.add', ...given, '--json'], input === undefined ? {} : { input });
      return result.json<{ data: { structuredContent: { arguments: unknown } } }>().data.structuredContent.arguments;
    };
    const file = join(tempFolder(), 'args.json');
    writeFileSync(file, '{"a": 1, "note": "file"}');
    expect(await args(['a:=2', 'note=x=y'])).toEqual({ a: 2, note: 'x=y' });
    expect(await args(['{"a": 3}', 'b:=4'])).toEqual({ a: 3, b: 4 });
    expect(await args(['--args-file', file, 'a:=5'])).toEqual({ a: 5, note: 'file' });
    expect(await args(['--args-file', '-'], '{"a": 6}')).toEqual({ a: 6 });
    expect(await args(['a=2', 'b=1.5', 'note=3'])).toEqual({ a: 2, b: 1.5, note: '3' });
    expect(await portico(['call', 's.add', 'a=two'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^argument "a": expected a number, got "two"; a:=JSON /),
    });
    expect((await ok('call', 's.add', 'a:=1')).stdout).toBe('add\n');
    expect((await ok('call', 's.add', 'a:=7', '--jsonpath', '$.structuredContent.arguments.a')).stdout).toBe('7\n');
  });

  it('run once under a key, which is shown afterwards', async () => {
    await ok('call', 's.add', 'a:=1', '--key', 'once');
    await ok('call', 's.add', 'a:=1', '--key', 'once');
    expect((await ok('idempotency', 'show', 'once', '--json')).json()).toMatchObject({ record: { replay_count: 1 } });
    expect((await ok('idempotency', 'list')).stdout).toMatch(/once +s\.add +ok +1 /);
  });

  it('fail with the code of the envelope on stderr, and 1', async () => {
    expect(await portico(['call', 's.add'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'INVALID_ARGS: args.a: is required\n' +
        'capability_describe, which is GET /v1/capabilities/s.add over HTTP, shows the arguments that it takes\n',
    });
    expect(await portico(['call', 's.fail'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^UPSTREAM_ERROR: /),
    });
    expect(await portico(['call', 's.nothing'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^TOOL_NOT_FOUND: .*\n.*portico list/),
    });
    const said = await portico(['call', 's.tool_error']);
    expect(said).toMatchObject({ code: 1, stdout: 'it did not work\n', stderr: 'the tool says that it has failed\n' });
  });

  it('are cancelled by Ctrl-C and by name', async () => {
    const call = startPortico([...argsOf(place), 'call', 's.never', '--request-id', 'r-1']);
    const inFlight = async () =>
      (await ok('server', 'get', 's', '--json')).json<{ server: { running: number } }>().server;
    await eventually(async () => expect((await inFlight()).running).toBe(1));
    call.child.kill('SIGINT');
    expect(await call.exited).toMatchObject({ code: 130, stdout: '' });
    await eventually(async () => expect((await inFlight()).running).toBe(0));
    const other = startPortico([...argsOf(place), 'call', 's.never', '--request-id', 'r-2']);
    await eventually(async () => expect((await portico(['cancel', 'r-2'])).code).toBe(0));
    expect(await other.exited).toMatchObject({ code: 1, stderr: expect.stringMatching(/^OPERATION_CANCELLED: /) });
    expect(await portico(['cancel', 'r-2'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/nothing is in flight/),
    });
  });

  it('go on as tasks', async () => {
    const { data } = (await portico(['call', 's.add', 'a:=1', '--async', '--json'])).json<{
      data: { task: { task_id: string } };
    }>();
    const { task_id } = data.task;
    expect((await ok('tasks', 'show', task_id, '--follow')).stdout).toMatch(/status +completed[\s\S]*\nresult\nadd\n$/);
    expect((await ok('tasks', 'list')).stdout).toContain(task_id);
    expect(await portico(['tasks', 'cancel', task_id])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^INVALID_ARGS: /),
    });
    expect(await portico(['tasks', 'respond', task_id])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/asks nothing/),
    });
  });

  it('run in a row, fed from each other', async () => {
    const steps = [
      { id: 'one', capability_id: 's.add', args: { a: 1 } },
      { id: 'two', capability_id: 's.add', args: { a: '$one.structuredContent.arguments.a' } },
    ];
    const done = await portico(['batch', '-'], { input: JSON.stringify(steps) });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/one +s\.add +yes[\s\S]*two +s\.add +yes/) });
    const failing = JSON.stringify({ steps: [{ id: 'x', capability_id: 's.fail', args: {} }] });
    expect(await portico(['batch', '-'], { input: failing })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^step x: UPSTREAM_ERROR/),
    });
  });

  it('have resources, prompts and completions beside them', async () => {
    expect((await ok('read', 's.test://doc')).stdout).toBe('content\n');
    expect((await ok('prompt', 's.greet', 'city=Rome')).stdout).toBe('user: greet\n');
    expect((await ok('complete', 'prompt', 's.greet', 'city', 'Ro')).stdout).toBe('Ro!\n');
  });
});

describe('approvals', () => {
  it('are shown with the commands that decide, and decided [cli-command]', async () => {
    const gated = await portico(['call', 's.gated', 'x:=1']);
    const [, id = ''] = /portico approvals approve (\S+)/.exec(gated.stderr) ?? [];
    expect(gated).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^APPROVAL_PENDING: /) });
    expect((await ok('approvals', 'list', '--status', 'pending')).stdout).toContain(id);
    expect((await ok('approvals', 'show', id)).stdout).toMatch(/status +pending/);
    const approved = await ok('approvals', 'approve', id, 'x:=2', '--operator', 'ann', '--json');
    expect(approved.json()).toMatchObject({
      approval: { status: { status: 'approved', operator: 'ann' } },
      result: { data: { structuredContent: { arguments: { x: 2 } } } },
    });
    expect(await portico(['approvals', 'approve', id])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^INVALID_ARGS: /),
    });
  });

  it('are waited for', async () => {
    const call = startPortico([...argsOf(place), 'call', 's.gated', '--wait', '60', '--request-id', 'waits']);
    const ticket = await eventually(async () => {
      const { approvals } = (await ok('approvals', 'list', '--status', 'pending', '--json')).json<{
        approvals: { id: string }[];
      }>();
      expect(approvals).toHaveLength(1);
      return approvals[0]?.id ?? '';
    });
    await ok('approvals', 'reject', ticket, '--reason', 'not today');
    expect(await call.exited).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^APPROVAL_REJECTED: .*not today/),
    });
  });
});

describe('the configuration', () => {
  it('gets and loses servers, profiles and single rules [cli-command]', async () => {
    const { command, args } = upstream().server;
    expect((await ok('server', 'add', 'more', '--', command, ...args)).stdout).toBe('more: added, connected\n');
    expect(await portico(['server', 'add', 'more', '--', command, ...args])).toMatchObject({
      code: 2,
      stderr: 'server "more" is configured already; --yes replaces it\n',
    });
    expect((await ok('server', 'add', 'more', '--yes', '--', command, ...args)).stdout).toBe(
      'more: replaced, connected\n',
    );
    expect((await ok('server', 'list')).stdout).toMatch(/more +connected +stdio +closed/);
    expect((await ok('server', 'test', 'more')).stdout).toMatch(/^more: connected, MCP 2025-11-25, 8 tools/);
    expect((await ok('server', 'restart', 'more')).stdout).toBe('more: connected\n');
    expect((await ok('config', 'profile', 'set', 'few', 'more')).stdout).toBe('few: more\n');
    expect((await ok('list', '--profile', 'few')).stdout).not.toContain('s.add');
    await ok('config', 'policy', 'add', '--deny', 'more.fail');
    const { policy } = (await ok('config', 'policy', 'show', '--json')).json<{ policy: object }>();
    expect(policy).toMatchObject({ deny: ['more.fail'], require_approval: ['s.gated'] });
    await ok('config', 'policy', 'remove', '--deny', 'more.fail');
    const typo = await portico(['config', 'policy', 'remove', '--deny', 'more.fial']);
    expect([typo.code, typo.stderr]).toEqual([1, expect.stringContaining('there is no rule more.fial')]);
    expect((await ok('config', 'show')).stdout).toContain('"requireApproval"');
    await ok('config', 'profile', 'remove', 'few');
    expect((await ok('server', 'remove', 'more')).stdout).toBe('more: removed\n');
    expect((await ok('config', 'reload')).stdout).toBe('unchanged: s\n');
    expect(await portico(['server', 'remove', 'more'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^RESOURCE_NOT_FOUND: /),
    });
  });

  it('is refused with the path of what is wrong', async () => {
    expect(await portico(['server', 'add', 'x', '--definition', '{"args": []}'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^INVALID_ARGS: mcpServers\.x: /),
    });
    expect(await portico(['server', 'add', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--definition-file/),
    });
  });
});

describe('what happened', () => {
  it('is listed, counted, exported and verified', async () => {
    await ok('call', 's.add', 'a:=1');
    expect((await ok('audit', 'events', '--type', 'tool_call', '--limit', '1')).stdout).toMatch(
      /tool_call +success +s\.add/,
    );
    expect((await ok('audit', 'stats')).stdout).toMatch(/tool_call +\d+/);
    expect((await ok('audit', 'show', 'aud-000000000001')).stdout).toContain('service_start');
    const file = join(tempFolder(), 'audit.jsonl');
    await ok('audit', 'export', '-o', file);
    expect((await ok('audit', 'verify', file)).stdout).toMatch(/valid, \d+ records/);
    expect((await ok('audit', 'verify')).stdout).toMatch(/^audit log: valid/);
    expect((await ok('audit', 'export', '--format', 'csv')).stdout).toMatch(/^id,/);
    expect((await ok('metrics')).stdout).toContain('# HELP');
  });
});

describe('sampling', () => {
  it('is answered', async () => {
    const asked = startPortico([...argsOf(place), 'sampling', 'create', 's', 'Who is there?']);
    const id = await eventually(async () => {
      const [, found] = /^(samp-\S+)/m.exec((await ok('sampling', 'list', '--status', 'pending')).stdout) ?? [];
      expect(found).toBeDefined();
      return found ?? '';
    });
    expect((await ok('sampling', 'show', id)).stdout).toContain('user: Who is there?');
    await ok('sampling', 'respond', id, '--text', 'Nobody.');
    expect(await asked.exited).toMatchObject({ code: 0, stdout: expect.stringMatching(/Nobody\./) });
  });
});

describe('what servers write', () => {
  it('moves no cursor, paints nothing and sets no title', async () => {
    const described = await ok('describe', 's.evil');
    expect(described.stdout).toContain('Clears your screen\\u202e.');
    await portico(['call', 's.complain', 'text=\u001b]0;owned\u0007\u009b31mred']);
    const logs = await eventually(async () => {
      const { stdout } = await ok('server', 'logs', 's');
      expect(stdout).toContain('red');
      return stdout;
    });
    const painted = await ok('call', 's.pain\u001b[31mted');
    expect(painted.stdout).toBe('painted\n');
    for (const text of [described.stdout, logs, (await ok('list')).stdout, (await ok('list', '--json')).stdout]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    expect((await ok('call', 's.pain\u001b[31mted', '--raw')).stdout).toBe('pain\u001b[31mted');
  });

  it('is followed a line at a time', async () => {
    const following = startPortico([...argsOf(place), 'server', 'logs', 's', '--follow', '--json', '--lines', '1']);
    await portico(['call', 's.complain', 'word=unheard']);
    await eventually(() => expect(following.stdout()).toContain('unheard'));
    following.child.kill('SIGINT');
    expect((await following.exited).code).toBe(130);
    for (const line of following.stdout().trim().split('\n'))
      expect(Object.keys(JSON.parse(line))).toEqual(['timestamp', 'text']);
  });
});
