// Lists that change with the configuration, in the whole catalog and in the views of profiles.
import { resolveConfig } from '@portico/contracts';
import {
  createControlPlane,
  createMemoryConfigSource,
  createMemoryStores,
  InvalidConfig,
  operator,
} from '@portico/control-plane';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createListComparison } from './list-changes.js';

const tool = { name: 'a', inputSchema: { type: 'object' } };
const by = { identity: operator, correlation: { requestId: null, traceId: 'a'.repeat(32) } };

async function start() {
  const clock = createManualClock();
  const command = 'node';
  const file = { mcpServers: { one: { command }, two: { command } }, profiles: { dev: { servers: ['one'] } } };
  const configSource = createMemoryConfigSource(file, (next) => {
    const config = resolveConfig(next);
    if (!config.ok) throw new InvalidConfig(config.issues);
    return config.value;
  });
  const definitions = { tools: [tool], prompts: [{ name: 'p' }] };
  const connector = createMemoryConnector({ one: { definitions: { tools: [tool] } }, two: { definitions } });
  const plane = createControlPlane(
    {
      clock,
      connector,
      configSource,
      randomHex: (length) => 'a'.repeat(length),
      log: () => {},
      ...createMemoryStores(clock),
      notifyApproval: () => {},
    },
    configSource.current().config,
  );
  plane.start();
  await clock.advance(0);
  return { plane, clock, source: configSource, changedLists: createListComparison(plane), server: connector.server };
}

describe('createListComparison', () => {
  it('names the lists that are others since it was last asked', async () => {
    const { server, clock, changedLists } = await start();
    expect(changedLists()).toEqual([]);
    server('two').change({ prompts: [] });
    await clock.advance(1000);
    expect([changedLists(), changedLists()]).toEqual([['prompts'], []]);
  });

  it('sees a profile that has other servers, though the catalog is as it was', async () => {
    const { plane, changedLists } = await start();
    await plane.configuration.putProfile(by, { name: 'dev', servers: ['one', 'two'] });
    expect(changedLists()).toEqual(['tools', 'prompts']);
    await plane.configuration.putProfile(by, { name: 'new', servers: ['two'] });
    expect(changedLists()).toEqual([]); // no client uses it yet
    await plane.configuration.deleteProfile(by, 'dev');
    expect(changedLists()).toEqual([]);
  });

  it('sees other tools shown, though the catalog is as it was', async () => {
    const { plane, changedLists, source } = await start();
    await source.change(() => [{ path: ['mcpExposure'], value: 'native' }]);
    await plane.configuration.reload(by);
    expect(changedLists()).toEqual(['tools']);
  });

  it('sees an alias that shows a tool under another name', async () => {
    const { plane, changedLists } = await start();
    const alias = { kind: 'tool', alias: 'x', target: 'one.a' } as const;
    await plane.configuration.updateAlias(by, alias);
    expect(changedLists()).toEqual(['tools']);
    await plane.configuration.updateAlias(by, { ...alias, passthrough: true });
    expect(changedLists()).toEqual(['tools']);
  });
});
