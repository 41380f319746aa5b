// A URI in the place of a resource id: read where it is clear whose it is.
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { connectPlane } from '../testing/start-plane.js';

const named = (uri: string) => ({ uri, name: uri });
const server = (id: string, ...uris: readonly string[]): MemoryServer => ({
  definitions: { resources: uris.map(named), resourceTemplates: [{ uriTemplate: `${id}://items/{n}`, name: 'item' }] },
  handle: ({ params }) => ({ contents: [{ uri: String(params.uri), text: id }] }),
});
const servers = { a: server('a', 'book://one.txt', 'shared://x'), b: server('b', 'shared://x', 'secret://y') };
const profiles = { a: { servers: ['a'] } };

async function read(id: string, { profile, ...file }: { readonly profile?: string; readonly policy?: object } = {}) {
  const { execute, audit } = await connectPlane(servers, { profiles, ...file });
  const { data, error } = await execute({ kind: 'resource', id, ...(profile === undefined ? {} : { profile }) });
  const record = audit.kept().at(-1);
  return { data, error, capability: record?.capability_id, event: record?.event_type };
}

describe('a URI without its server', () => {
  it.each([
    ['book://one.txt', 'a.book://one.txt', 'a'],
    ['b://items/7', 'b.b://items/7', 'b'],
  ])('%s is read where one server has it', async (uri, capability, text) => {
    expect(await read(uri)).toMatchObject({ data: { contents: [{ uri, text }] }, capability, event: 'resource_read' });
  });

  it('that several servers have is refused, and its ids are named', async () => {
    expect((await read('shared://x')).error).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: 'several servers have the resource "shared://x"; use one of "a.shared://x", "b.shared://x"',
    });
  });

  it('is of the one server that the caller sees it of', async () => {
    expect((await read('shared://x', { profile: 'a' })).data).toMatchObject({ contents: [{ text: 'a' }] });
    const policy = { allow: ['b.*'] };
    expect((await read('shared://x', { policy })).data).toMatchObject({ contents: [{ text: 'b' }] });
  });

  it('is not found, or denied, as its id is', async () => {
    expect((await read('book://two')).error?.code).toBe('RESOURCE_NOT_FOUND');
    expect((await read('secret://y', { profile: 'a' })).error?.code).toBe('RESOURCE_NOT_FOUND');
    expect((await read('secret://y', { policy: { deny: ['b.secret:*'] } })).error?.code).toBe('POLICY_DENIED');
    expect((await read('secret://y', { policy: { allow: ['a.*'] } })).error?.message).toBe('no resource "secret://y"');
  });
});
