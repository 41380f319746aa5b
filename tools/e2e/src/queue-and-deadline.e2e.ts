// How long a call may wait and run, and how many may run at once.
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import type { Reply } from './support/client.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { everything, hasItsRoots } from './support/everything.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const brief = ({ status, body }: Reply<Envelope<unknown>>) => [status, body.error.code];

describe('the queue of a server', () => {
  it('holds what comes after 64 calls in flight, in the order of arrival [call-concurrency-64]', async () => {
    const upstream = scripted({ tools: [tool('held'), ...[0, 1, 2, 3, 4, 5].map((n) => tool(`late_${n}`))] });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const held = Array.from({ length: 64 }, () => daemon.call('s.held'));
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(64));
    // One connection, so that they arrive in this order.
    const late = pipeline(
      daemon,
      [0, 1, 2, 3, 4, 5].map((n) => ({ capability_id: `s.late_${n}`, args: {} })),
    );
    await eventually(async () => expect(await daemon.server('s')).toMatchObject({ running: 64, queued: 6 }));
    upstream.release();
    expect((await late).match(/HTTP\/1\.1 200/g)).toHaveLength(6);
    await Promise.all(held);
    const received = upstream.received('tools/call');
    expect(Math.max(...received.map(({ inFlight }) => inFlight))).toBe(64);
    expect(received.slice(64).map(({ params }) => params.name)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `late_${n}`));
  });

  it('counts towards the deadline: who waited for a place gets no time on top [call-timeout-includes-queue]', async () => {
    const never = () => scripted({ tools: [tool('never')] }).server;
    const daemon = await startDaemon({ toolTimeoutMs: 6000, mcpServers: { s: never(), other: never() } });
    await daemon.connected();
    const stuck = Array.from({ length: 64 }, () => daemon.call('s.never'));
    await eventually(async () => expect(await daemon.server('s')).toMatchObject({ running: 64, queued: 0 }));
    // They get their places when the first 64 give up, and little of their own time is left by then.
    const late = [daemon.call('s.never'), daemon.call('s.never')];
    await eventually(async () => expect(await daemon.server('s')).toMatchObject({ running: 64, queued: 2 }));
    const calls = [...stuck, ...late, daemon.call('other.never')];
    expect((await Promise.all(calls)).map(brief)).toEqual(calls.map(() => [504, 'UPSTREAM_TIMEOUT']));
    // The one that came last, to a server with places enough, is the last to end.
    const ended = await auditOf(daemon).events('?limit=1000&event_type=tool_call');
    expect(ended.map(({ capability_id }) => capability_id)).toEqual(['other.never', ...Array(66).fill('s.never')]);
  });
});

describe('a deadline', () => {
  it('of toolTimeoutMs ends calls, reads and prompts with 504, and cancels them at the upstream [call-timeout] [call-timeout-cancels-upstream] [config-file-tool-timeout]', async () => {
    const upstream = scripted({
      tools: [tool('never')],
      resources: [{ uri: 'book://x/never', name: 'never' }],
      prompts: [{ name: 'never' }],
    });
    const daemon = await startDaemon({ toolTimeoutMs: 400, mcpServers: { s: upstream.server } });
    await daemon.connected();
    const answers = await Promise.all([
      daemon.call('s.never'),
      daemon.post<Envelope>('/v1/resources/read', { resource_id: 's.book://x/never' }),
      daemon.post<Envelope>('/v1/prompts/get', { prompt_id: 's.never' }),
    ]);
    expect(answers.map(brief)).toEqual(answers.map(() => [504, 'UPSTREAM_TIMEOUT']));
    expect(answers[0]!.body.error.message).toBe('server "s" did not answer within 400 ms (toolTimeoutMs)');
    await eventually(() => {
      const asked = upstream.received().filter(({ method }) => /call|read|get/.test(method));
      const cancelled = upstream.received('notifications/cancelled').map(({ params }) => params.requestId);
      expect(cancelled.sort()).toEqual(asked.map(({ id }) => id).sort());
    });
  });
});

it('a pause of the process fails no call that was answered during the pause', async () => {
  const upstream = scripted({ tools: [tool('slow')] });
  const daemon = await startDaemonProcess({ toolTimeoutMs: 3000, mcpServers: { s: upstream.server } });
  await daemon.connected();
  const calls = Array.from({ length: 3 }, () => daemon.call('s.slow', { ms: 200 }));
  await eventually(() => expect(upstream.received('tools/call')).toHaveLength(3));
  process.kill(daemon.pid, 'SIGSTOP');
  await setTimeout(3500); // past the deadline
  process.kill(daemon.pid, 'SIGCONT');
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

/** Sends calls over one connection without waiting in between; resolves with all that came back. */
function pipeline(daemon: Daemon, calls: readonly object[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(daemon.port, '127.0.0.1', () => {
      const requests = calls.map((call, index) => {
        const body = JSON.stringify(call);
        const end = index === calls.length - 1 ? 'Connection: close\r\n' : '';
        const head = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
        return `POST /v1/tools/call HTTP/1.1\r\n${head}${end}\r\n${body}`;
      });
      socket.write(requests.join(''));
    });
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

describe('a call whose server reports progress', () => {
  async function run(config: object) {
    const daemon = await startDaemon({ toolTimeoutMs: 1000, mcpServers: { e: everything }, ...config });
    await daemon.connected();
    await hasItsRoots(daemon, 'e');
    return daemon.call<Envelope<unknown>>('e.trigger-long-running-operation', { duration: 3, steps: 10 });
  }

  it('has more time than toolTimeoutMs, up to maxToolTimeoutMs [limit-max-tool-timeout]', async () => {
    const [within, beyond] = await Promise.all([run({}), run({ maxToolTimeoutMs: 1500 })]);
    expect([within.status, within.text]).toEqual([200, expect.stringContaining('operation completed')]);
    const error = { message: expect.stringContaining('within 1500 ms') };
    expect([beyond.status, beyond.body]).toMatchObject([504, { error }]);
  });

  it('or goes on as a task has taskTimeoutMs [limit-task-timeout]', async () => {
    const upstream = scripted({ tools: [tool('slow'), tool('never')] });
    const daemon = await startDaemon({ toolTimeoutMs: 300, taskTimeoutMs: 2000, mcpServers: { s: upstream.server } });
    await daemon.connected();
    const end = async (capability_id: string, args: object) => {
      const call = { capability_id, args };
      const begun = await daemon.post<Envelope<{ readonly task: { readonly task_id: string } }>>(
        '/v1/tools/call',
        call,
        {
          Prefer: 'respond-async',
        },
      );
      return eventually(async () => {
        const { body } = await daemon.get<{ task: { result?: object } }>(`/v1/tasks/${begun.body.data.task.task_id}`);
        expect(body.task.result).toBeDefined();
        return body.task.result;
      });
    };
    expect(await end('s.slow', { ms: 900 })).toMatchObject({ ok: true });
    expect(await end('s.never', {})).toMatchObject({ error: { code: 'UPSTREAM_TIMEOUT' } });
  });
});
