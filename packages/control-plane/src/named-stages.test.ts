// The plane gives the watchdog a name for all work that a server or a caller can make long, and for no plain call.

import { createMemoryConnector } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createControlPlane } from './control-plane.js';
import { createMemoryStores } from './memory-stores.js';
import { author, startConfigured } from './testing/start-configured.js';
import { connectPlane, stopped, tool } from './testing/start-plane.js';

const many = { text: 'x'.repeat(20_000) };

/** A plane with one server, and the stages that it enters once that is connected. */
async function watched(file: object = {}) {
  const named: [string, string][] = [];
  const open: string[] = [];
  const stages = {
    enter(stage: string, subject: string) {
      expect(open).toEqual([]); // the end of one within another would end both
      open.push(stage);
      named.push([stage, subject]);
    },
    leave: () => void open.pop(),
  };
  const definitions = {
    tools: [tool('plain'), tool('listing', { inputSchema: { properties: { l: { items: {} } } } })],
    resourceTemplates: [{ uriTemplate: 'file:///{+path}', name: 'files' }],
  };
  const plane = await connectPlane({ s: { definitions } }, file, { ...createMemoryStores(stopped), stages });
  const atStart = named.splice(0);
  return { ...plane, named, atStart, open };
}

describe('the watchdog has a name for', () => {
  it('the definitions of a server that are recovered', async () => {
    expect((await watched()).atStart).toEqual([['taking up the definitions', 's']]);
  });

  it('the definitions of each server that an earlier run has kept', async () => {
    const stores = createMemoryStores(stopped);
    const server = (name: string) => ({ definitions: { tools: [tool(name)] } });
    const first = await connectPlane({ a: server('x'), b: server('y') }, {}, stores);
    await first.plane.close(0);
    const named: string[][] = [];
    const stages = { enter: (...stage: string[]) => void named.push(stage), leave: () => {} };
    const second = createControlPlane(
      {
        clock: first.clock,
        connector: createMemoryConnector({}),
        log: () => {},
        notifyApproval: () => {},
        randomHex: () => 'b7',
        ...stores,
        stages,
      },
      first.plane.state().config,
    );
    await second.recover();
    second.state();
    expect(named).toEqual([
      ['reading the definitions that were kept', 'a'],
      ['reading the definitions that were kept', 'b'],
      ['making the catalog', 'of what was kept'],
    ]);
  });

  it('a change of the configuration, by the action that is recorded', async () => {
    const named: string[][] = [];
    const stages = { enter: (...stage: string[]) => void named.push(stage), leave: () => {} };
    const file = { mcpServers: { a: { command: 'node' } } };
    const { plane } = await startConfigured({ a: {} }, file, { ...createMemoryStores(stopped), stages });
    named.length = 0;
    await plane.configuration.mergePolicy(author, { deny: ['a.*'] });
    expect(named).toEqual([['changing the configuration', 'policy_update']]);
  });

  it('a schema that is compiled, once, and arguments whose check is counted', async () => {
    const { execute, named } = await watched();
    await execute({ kind: 'tool', id: 's.listing' });
    await execute({ kind: 'tool', id: 's.listing' });
    expect(named).toEqual([
      ['compiling the input schema', 's.listing'],
      ['checking arguments', 's.listing'],
      ['checking arguments', 's.listing'],
    ]);
  });

  it('many arguments, wherever they are passed over', async () => {
    const { execute, named, open } = await watched();
    await execute({ kind: 'tool', id: 's.plain' }); // compiles the schema
    named.length = 0;
    await execute({ kind: 'tool', id: 's.plain', args: many, idempotencyKey: 'k' });
    expect(named).toEqual([
      ['digesting the arguments', 's.plain'], // for the key
      ['digesting the arguments', 's.plain'], // for what it is used for
      ['sending the arguments', 's.plain'],
      ['recording the arguments', 's.plain'],
    ]);
    expect(open).toEqual([]);
  });

  it('the arguments of a call that waits for a person', async () => {
    const { execute, named } = await watched({ policy: { requireApproval: ['s.*'] } });
    await execute({ kind: 'tool', id: 's.plain', args: many });
    expect(named).toContainEqual(['redacting the arguments', 's.plain']);
  });

  it('nothing in a plain call', async () => {
    const { execute, named } = await watched();
    await execute({ kind: 'tool', id: 's.plain' });
    named.length = 0;
    await execute({ kind: 'tool', id: 's.plain', args: { a: 1 } });
    await execute({ kind: 'resource', id: 's.file:///short' });
    expect(named).toEqual([]);
  });
});
