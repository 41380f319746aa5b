// A process that uses the connector, for tests that kill it or watch its stdout. Its one argument is a JSON list of
// servers; it writes the pids of each server's processes to stderr as one JSON line, then stays.
import type { ServerConfig } from '@portico/contracts';
import { requestOf } from '@portico/upstream-pool';
import { createMcpConnector } from '../connector.js';

const servers: ServerConfig[] = JSON.parse(process.argv[2] ?? '[]');
const connector = createMcpConnector({ clientInfo: { name: 'portico', version: '0.1.0' }, env: process.env });
const signal = AbortSignal.timeout(45_000);
const events = { onClosed() {}, onListChanged() {}, onResourceUpdated() {}, onLog() {} };

const pids = await Promise.all(
  servers.map(async (server, index) => {
    const session = await connector.connect(`server-${index}`, server, events, signal);
    await session.discover(signal);
    const result = await requestOf(
      session,
      { method: 'tools/call', params: { name: 'whoami', arguments: {} } },
      signal,
    );
    const { pid } = result.structuredContent as { pid: number };
    return [session.pid, pid];
  }),
);
process.stderr.write(`pids ${JSON.stringify(pids)}\n`);
process.stdin.once('data', async () => {
  await connector.close();
  process.stdin.destroy();
});
