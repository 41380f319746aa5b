import { openHost } from '@portico/host';
import { createToolConnector } from './connector.js';

const billing = createToolConnector({
  refund: {
    description: 'Pays a customer back',
    inputSchema: { type: 'object', properties: { cents: { type: 'integer', minimum: 1 } }, required: ['cents'] },
    run: async ({ cents }) => `refunded ${cents} cents`,
  },
});

const host = await openHost({
  config: { mcpServers: { billing: { command: 'in-process' } } },
  connectors: { billing },
});
await host.start();

for (const cents of [250, 0]) {
  const { envelope } = await host.call('billing.refund', { cents });
  console.log(envelope.ok ? envelope.data : envelope.error.message);
}

await host.close();
