// Grants as operators see them: no known secret, and no role that the configuration does not have.
import type { JsonObject } from '@portico/contracts';
import { callerRole } from '@portico/policy-engine';
import { expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { author, startConfigured } from '../testing/start-configured.js';
import { args, call, policy, serverOf } from '../testing/start-granted.js';
import { stopped } from '../testing/start-plane.js';

const planted = 'pl4nted-s3cret';
const mask = (text: string) => text.replaceAll(planted, '[REDACTED]');
const secrets = {
  isEmpty: false,
  maskText: mask,
  maskObject: (object: JsonObject): JsonObject => JSON.parse(mask(JSON.stringify(object))),
};

it('shows no known secret that is the name of an argument, and no role of callers without one', async () => {
  const stores = { ...createMemoryStores(stopped), secrets };
  const { plane, outcome } = await startConfigured(
    { s: serverOf() },
    { mcpServers: { s: { command: 'node' } }, policy },
    stores,
  );
  const { error } = (await outcome(call({ role: callerRole, args: { ...args, [planted]: 1 } }))).envelope;
  const grant = { ttlSecs: 600, uses: 3, keep: ['/repo'], by: author };
  await plane.approvals.approve(error?.approval_id ?? '', 'eve', null, { grant });
  const { grants } = await plane.grants.list({ state: 'active', limit: 9, offset: 0 });
  expect(grants).toMatchObject([{ role: null, free: ['/title', '/[REDACTED]'] }]);
});
