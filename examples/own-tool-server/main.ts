import { fileURLToPath } from 'node:url';
import { everything, openHost } from '@portico/host';

const server = fileURLToPath(new URL('server.mjs', import.meta.url));
const host = await openHost({ config: { mcpServers: { counter: { command: 'node', args: [server] } } } });
await host.start();

console.log(host.plane.view(everything, 'tool').capabilities.map(({ id }) => id));

for (const idempotencyKey of ['order-1', 'order-1', 'order-2']) {
  const { kind, envelope } = await host.call('counter.increase', {}, { idempotencyKey });
  console.log(idempotencyKey, kind, JSON.stringify(envelope.data));
}

await host.close();
