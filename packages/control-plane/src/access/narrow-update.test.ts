// The change events that a role receives about removed entries: all that its own rules let it see, and no others.
import { expect, it } from 'vitest';
import { author, startConfigured } from '../testing/start-configured.js';
import { tool } from '../testing/start-plane.js';
import { mayName } from './narrow-update.js';

const node = { command: 'node' };
const file = {
  mcpServers: { git: node, web: node },
  rbac: { roles: { agent: { allow: ['git.*'], deny: ['git.secret'] }, boss: { admin: true } } },
};
const servers = {
  git: { definitions: { tools: [tool('push'), tool('secret')] } },
  web: { definitions: { tools: [tool('fetch')] } },
};

it('a tool that the policy removes for every user was visible to the role, which receives its removal', async () => {
  const { plane, configuration, settled } = await startConfigured(servers, file);
  const ids = ['git.push', 'git.secret', 'web.fetch'];
  const named = (role: string) => ids.filter((id) => mayName(plane.state(), { profile: null, role }, id));
  expect([named('agent'), named('boss')]).toEqual([['git.push'], ids]);
  await settled(configuration.mergePolicy(author, { deny: ['*'] }));
  expect([named('agent'), named('boss')]).toEqual([['git.push'], ids]);
  expect(named('unknown')).toEqual([]);
});
