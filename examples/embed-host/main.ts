import { resolve } from 'node:path';
import { openHost } from '@portico/host';

const host = await openHost({
  config: {
    mcpServers: {
      memory: {
        command: 'npx',
        args: ['mcp-server-memory'],
        env: { MEMORY_FILE_PATH: resolve('memory.jsonl') },
      },
    },
    policy: { deny: ['memory.open_nodes'], requireApproval: ['memory.delete_*'] },
  },
});
await host.start();

const read = await host.call('memory.read_graph');
console.log('read_graph:', read.envelope.ok ? 'ok' : read.envelope.error.code);

const denied = await host.call('memory.open_nodes', { names: ['Ada'] });
console.log('open_nodes:', denied.envelope.ok ? 'ok' : denied.envelope.error.code);

const waiting = await host.call('memory.delete_entities', { entityNames: ['Ada'] });
console.log('delete_entities:', waiting.kind);
if (waiting.kind === 'pending') {
  const ticket = await host.plane.approvals.get(waiting.approvalId);
  const definition = ticket?.view.definition_digest ?? null;
  const decision = await host.plane.approvals.approve(waiting.approvalId, 'ann', null, { definition });
  console.log('approved:', decision.kind);
}

const { events } = await host.plane.audit.list({ event_type: 'tool_call' }, { limit: 10, offset: 0 });
for (const { capability_id, status } of events.toReversed()) console.log('audit:', capability_id, status);

await host.close();
