// A host in another program's process: with a configuration in code it leaves nothing behind.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryConnector } from '@portico/upstream-pool';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openHost } from './open-host.js';

const quiet = { logLevel: 'error', env: {} } as const;
const by = { identity: { principal: 'local', role: null, actor: null }, correlation: { requestId: null, traceId: '' } };
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-host-'));
  vi.stubEnv('TMPDIR', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('a host with a configuration in code', () => {
  it('has its state in a temporary directory that goes with it', async () => {
    const host = await openHost({ ...quiet, config: { mcpServers: {} } });
    expect(readdirSync(folder)).toHaveLength(1);
    await host.start();
    await host.close();
    await host.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves nothing behind when it cannot be opened', async () => {
    await expect(openHost({ ...quiet, config: { mcpServers: {}, audit: { filePath: '.' } } })).rejects.toThrow();
    await expect(openHost({ ...quiet, bind: '0.0.0.0', config: { mcpServers: {} } })).rejects.toThrow('authToken');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps its state in the given directory', async () => {
    const stateDir = join(folder, 'state');
    await (await openHost({ ...quiet, stateDir, config: { mcpServers: {} } })).close();
    expect(existsSync(join(stateDir, 'state.db'))).toBe(true);
  });

  it('can be configured while it runs, in memory', async () => {
    const host = await openHost({ ...quiet, config: { mcpServers: {} } });
    await host.plane.configuration.putProfile(by, { name: 'reading', servers: [] });
    expect([...host.plane.state().config.profiles.keys()]).toEqual(['reading']);
    expect(host.plane.configuration.path).toBe('memory');
    await host[Symbol.asyncDispose]();
  });

  it('opens the sessions of a server by the connector that the program gives it', async () => {
    const tool = { name: 'now', description: 'Returns the time', inputSchema: { type: 'object' } };
    const own = createMemoryConnector({
      clock: { definitions: { tools: [tool] }, handle: () => ({ content: [{ type: 'text', text: '12:00' }] }) },
    });
    const config = { mcpServers: { clock: { command: 'not-started' } } };
    const host = await openHost({ ...quiet, config, connectors: { clock: own } });
    await host.start();
    expect((await host.call('clock.now')).envelope.data).toEqual({ content: [{ type: 'text', text: '12:00' }] });
    await host.close();
    expect(own.server('clock').sessions()).toBe(0);
  });

  it('answers a call that cannot be made with an envelope', async () => {
    const host = await openHost({ ...quiet, config: { mcpServers: {} } });
    const { kind, envelope } = await host.call('none.at-all', {}, { requestId: 'r-1' });
    expect([kind, envelope.ok, envelope.request_id, envelope.error?.code]).toEqual([
      'answered',
      false,
      'r-1',
      'TOOL_NOT_FOUND',
    ]);
    expect((await host.read('none.at-all')).envelope.error?.code).toBe('RESOURCE_NOT_FOUND');
    expect((await host.prompt('none.at-all')).envelope.error?.code).toBe('PROMPT_NOT_FOUND');
    await host.close();
  });
});
