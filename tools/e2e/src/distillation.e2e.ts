// Modifiers over HTTP: what comes back is less, what the tool gets is the same.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture } from './support/upstreams.js';

const result = (text: string) => ({ content: [{ type: 'text', text }] });

describe('a modifier', () => {
  let daemon: Daemon;
  beforeAll(async () => {
    daemon = await startDaemon({ mcpServers: { s: fixture() } });
    await daemon.connected();
  });

  it('_jsonpath keeps what a query selects: one value, or all matches [distill-jsonpath]', async () => {
    const json = JSON.stringify({ rows: [{ n: 1 }, { n: 2 }] });
    const select = async (query: string) => (await daemon.call('s.echo', { text: json, _jsonpath: query })).body.data;
    expect(await select('$.content[0].type')).toBe('text');
    expect(await select('$.content[9]')).toBeNull();
    expect(await select('$.structuredContent.rows[*].n')).toEqual([1, 2]);
  });

  it('_limit_lines keeps the first lines of every text [distill-limit-lines]', async () => {
    const { body } = await daemon.call('s.echo', { text: 'a\nb\nc', _limit_lines: 2 });
    expect(body.data).toEqual(result('a\nb\n[… 1 more lines]'));
  });

  it('_truncate_bytes keeps the result within its bytes, for every budget [distill-truncate-bytes]', async () => {
    for (const budget of [1, 2, 5, 30, 60, 100]) {
      const { status, body } = await daemon.call('s.echo', { text: '😀'.repeat(50), _truncate_bytes: budget });
      expect(status).toBe(200);
      expect(Buffer.byteLength(JSON.stringify(body.data))).toBeLessThanOrEqual(budget);
    }
  });

  it('goes in a fixed order, and the tool never sees it [distill-order-and-removal]', async () => {
    const args = {
      text: `["${'x'.repeat(40)}\\ny"]`,
      _truncate_bytes: 30,
      _limit_lines: 1,
      _jsonpath: '$.structuredContent[0]',
    };
    const { body } = await daemon.call('s.echo', args);
    expect(body.data).toEqual(expect.stringMatching(/^x+\[… \d+ more bytes\]$/));
    const whole = await daemon.call('s.echo', { ...args, _truncate_bytes: 1000 });
    expect(whole.body.data).toBe(`${'x'.repeat(40)}\n[… 1 more lines]`);
  });

  it.each([
    ['_jsonpath', 'not a query'],
    ['_limit_lines', -1],
    ['_truncate_bytes', '10'],
  ])('%s with a wrong value is refused by its path [distill-order-and-removal]', async (key, value) => {
    const { status, body } = await daemon.call('s.echo', { text: 'x', [key]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { code: 'INVALID_ARGS', message: expect.stringContaining(`args.${key}: `) },
      retry: { upstream_execution_state: 'not_started' },
    });
  });
});
