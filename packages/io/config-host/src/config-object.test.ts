// A configuration in code is read as a file with it would be, and changed in memory only.
import { describe, expect, it } from 'vitest';
import { openConfigObject } from './config-object.js';
import { ConfigError } from './load-config.js';

const log: string[] = [];
const options = { check: () => [], log: (_level: string, message: string) => void log.push(message) };

describe('a configuration that is given as an object', () => {
  it('is changed in memory, and the object itself stays as it is', async () => {
    const given = { port: 9001, mcpServers: {} };
    const source = openConfigObject(given, options);
    const changed = await source.change(() => [{ path: ['port'], value: 9002 }]);
    expect([changed.config.port, source.current().config.port, (await source.load()).config.port]).toEqual([
      9002, 9002, 9002,
    ]);
    expect(given).toEqual({ port: 9001, mcpServers: {} });
  });

  it('is refused with every problem, also where a change would make it so', async () => {
    expect(() => openConfigObject({ port: -1, mcpServers: {} }, options)).toThrow(ConfigError);
    const source = openConfigObject({ mcpServers: {} }, options);
    await expect(source.change(() => [{ path: ['port'], value: -1 }])).rejects.toMatchObject({
      issues: [{ path: 'port', message: expect.any(String) }],
    });
    expect(source.current().config.port).toBe(9090);
  });

  it('is refused where it is not plain data', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const open = () => openConfigObject({ mcpServers: {}, ...circular }, options);
    expect(open).toThrow('configuration given as an object cannot be used');
  });

  it('has what the place where it runs makes of it checked', () => {
    const check = () => [{ path: 'authToken', message: 'is required' }];
    expect(() => openConfigObject({ mcpServers: {} }, { ...options, check })).toThrow('authToken: is required');
  });

  it('is read without undefined values, and reports unknown fields', () => {
    const source = openConfigObject({ port: undefined, nonsense: 1, mcpServers: {} }, options);
    expect(source.current().file).toEqual({ nonsense: 1, mcpServers: {} });
    expect(log).toEqual(['the configuration has fields that Portico does not know']);
  });
});
