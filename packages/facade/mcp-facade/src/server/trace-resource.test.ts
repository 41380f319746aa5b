// Explanations as resources: of the client's own calls, in any role.
import type { Explanation } from '@portico/contracts';
import { expect, it } from 'vitest';
import { startFacade } from '../testing/start-facade.js';

const as = (name: string) => ({ Authorization: `Bearer ${name}-token-0123456789` });
const rbac = {
  roles: { boss: { admin: true }, dev: { allow: ['*'] } },
  tokens: [
    { role: 'boss', actorId: 'eve', token: 'eve-token-0123456789' },
    { role: 'dev', actorId: 'ann', token: 'ann-token-0123456789' },
  ],
};

it.each([
  ['an admin who has proved a name', { rbac }, as('eve'), 'eve'],
  ['anybody else', { rbac }, as('ann'), 'ann'],
  ['the operator, who has none', {}, {}, 'all'],
])('%s sees the traces of their own', async (_, file, headers, whose) => {
  const asked: string[] = [];
  const { ask } = await startFacade({
    file,
    plane: ({ traces }) => ({
      traces: {
        ...traces,
        explain: async (id, owner) => {
          asked.push(owner?.actor ?? 'all');
          return { trace_id: id } as Explanation; // for which no other rule is checked
        },
      },
    }),
  });
  const { text } = await ask('resources/read', { uri: `portico://traces/${'ab'.repeat(16)}` }, { headers });
  expect(text).toContain('trace_id');
  expect(asked).toEqual([whose]);
});
