// Pages of MCP Apps: read by id, by their URI and by their name under a server, whether a list has them or a tool names them.
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { connectPlane } from '../testing/start-plane.js';

const inputSchema = { type: 'object' };
const page = (uri: string) => ({ _meta: { ui: { resourceUri: uri } } });
const server = (id: string, ...listed: readonly string[]): MemoryServer => ({
  definitions: {
    tools: [
      { name: 'show', inputSchema, ...page('ui://board') },
      { name: 'old', inputSchema, _meta: { 'ui/resourceUri': `ui://${id}-only` } },
      { name: 'file', inputSchema, ...page('file:///etc/passwd') },
    ],
    resources: listed.map((uri) => ({ uri, name: uri })),
  },
  handle: ({ params }) => ({ contents: [{ uri: String(params.uri), text: `${id} ${params.uri}` }] }),
});
const servers = { a: server('a'), b: server('b', 'ui://board', 'ui://a/board') };

async function read(id: string, policy: object = {}) {
  const { execute, audit } = await connectPlane(servers, { policy });
  const { data, error } = await execute({ kind: 'resource', id });
  return { text: (data as { contents?: readonly { text: string }[] } | null)?.contents?.[0]?.text, error, audit };
}

describe('a page', () => {
  it.each([
    ['a.ui://board', 'a ui://board'], // no list has it
    ['b.ui://board', 'b ui://board'],
    ['ui://a-only', 'a ui://a-only'],
    ['ui://a/board', 'a ui://board'], // regardless of the lists of another server
    ['ui://b/board', 'b ui://board'],
    ['ui://b/a/board', 'b ui://a/board'],
  ])('%s is read from its server', async (id, text) => {
    expect(await read(id)).toMatchObject({ text });
  });

  it.each(['ui://nobody', 'a.ui://nobody', 'ui://c/board', 'a.file:///etc/passwd', 'ui://board'])(
    '%s is not found, or not of one server',
    async (id) => {
      expect((await read(id)).error?.code).toBe('RESOURCE_NOT_FOUND');
    },
  );

  it('that no list has is under the rules of policy', async () => {
    for (const id of ['a.ui://board', 'ui://a/board']) {
      expect((await read(id, { deny: ['a.ui:*'] })).error?.code).toBe('POLICY_DENIED');
      expect((await read(id, { allow: ['a.show'] })).error?.code).toBe('RESOURCE_NOT_FOUND');
    }
  });
});
