import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { examineDaemon } from './examine.js';

async function withServer(bodies: Record<string, string>, look: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(({ url = '' }, response) => response.end(bodies[url] ?? '{"answers": "everything"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await look(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('shows no token to a program that is not Portico', async () => {
  await withServer({}, async (url) => {
    const connect = () => Promise.reject(new Error('it was trusted'));
    const found = await examineDaemon({ findDaemon: async () => url, connect, limitMs: 20_000 }, 1);
    expect(found.map(({ code }) => code)).toEqual(['port-taken']);
  });
});

const counts = {
  frames: 12,
  bytes: 2 * 1024 * 1024,
  max_bytes: 8 * 1024 * 1024,
  evicted: 0,
  dropped: 3,
  reader_dropped: 1,
};

it('says what the inspector of a daemon keeps, where it is on', async () => {
  await withServer({ '/healthz': '{"ok":true}' }, async (url) => {
    const connect = async () => ({
      listServers: async () => ({ servers: [] }) as never,
      listUnmatchedRules: async () => ({ ok: true as const, unmatched: [] }),
      listFrames: async () => ({ ok: true as const, frames: [], complete: true, cursor: '', counts }),
    });
    const found = await examineDaemon({ findDaemon: async () => url, connect, limitMs: 20_000 }, 1);
    const message = 'is on: 12 messages are kept in 2.0 of 8 MB, 4 dropped';
    expect(found).toContainEqual({ level: 'ok', code: null, subject: 'inspector', message });
  });
});

it('survives an answer without servers, and one that does not come', async () => {
  await withServer({ '/healthz': '{"ok":true}' }, async (url) => {
    const findDaemon = async () => url;
    const listUnmatchedRules = async () => ({ ok: true as const, unmatched: [] });
    const listFrames = async () => ({ ok: true as const, frames: [], complete: true, cursor: '', counts });
    const strange = async () => ({ listServers: async () => ({}) as never, listUnmatchedRules, listFrames });
    const [finding] = await examineDaemon({ findDaemon, connect: strange, limitMs: 20_000 }, 1);
    expect(finding?.code).toBe('port-taken');
    const silent = async () => ({
      listUnmatchedRules,
      listFrames,
      listServers: ({ signal }: { signal?: AbortSignal | undefined } = {}) =>
        new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    });
    const examineWithin = async (limitMs: number, tries: number): Promise<void> => {
      const [late] = await examineDaemon({ findDaemon, connect: silent, limitMs }, 1);
      const isSlow = late?.code === 'port-taken'; // this machine took longer than that to say that it is Portico
      if (isSlow && tries > 1) return examineWithin(3 * limitMs, tries - 1);
      expect(late).toMatchObject({
        code: 'daemon-refuses',
        message: `${url}: no list of servers within ${limitMs} ms`,
      });
    };
    await examineWithin(200, 5);
  });
});

it('does not look for a daemon when the system chooses the port', async () => {
  const connect = () => Promise.reject(new Error('nobody is there'));
  const found = await examineDaemon({ findDaemon: async () => undefined, connect, limitMs: 1 }, 0);
  expect(found).toEqual([{ level: 'ok', code: null, subject: 'daemon', message: 'none runs' }]);
});
