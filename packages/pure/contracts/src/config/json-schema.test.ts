// The JSON Schema of the configuration file says the same as the validator: of the example, and of wrong types.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from './json-schema.js';
import { resolveConfig } from './resolve-config.js';

const example = new URL('../../../../../docs/examples/mcp_servers.json', import.meta.url);
const validate = new Ajv({ strict: false, allErrors: true }).compile(configJsonSchema());

const wrongPaths = (file: unknown) =>
  validate(file) ? [] : (validate.errors ?? []).map((error) => error.instancePath);

describe('configJsonSchema', () => {
  it('accepts the example of the documentation, and so does the validator', () => {
    const file: unknown = parse(readFileSync(example, 'utf8'));
    expect(wrongPaths(file)).toEqual([]);
    expect(resolveConfig(file).ok).toBe(true);
  });

  it('accepts a file that uses every field', () => {
    const file = {
      $schema: './config.schema.json',
      port: 0,
      toolTimeoutMs: 1000,
      authToken: 'token',
      capabilityAliases: { a: 's.x', b: { target: 's.y', summary: 'Y', description: 'Y', passthrough: true } },
      resourceAliases: { a: 's.x' },
      promptAliases: { a: { target: 's.x' } },
      limits: { approvals: 1, waitingCharacters: 1, queuedCalls: 1 },
      profiles: { p: { servers: ['s'], description: 'P' } },
      resilience: { failureThreshold: 1, cooldownMs: 0, consecutiveSuccesses: 1, autoRestart: true, maxRestarts: 0 },
      mcpServers: {
        s: { command: 'x', args: ['a'], env: { A: 'b' }, resilience: { healthCheckIntervalSecs: null } },
        l: { command: 'x', lifecycle: 'lazy', idleStopSecs: 1 },
        t: {
          url: 'http://h/',
          protocolVersion: '2025-11-25',
          allowStateless: true,
          headers: { A: 'b' },
          auth: { type: 'bearer', tokenEnv: 'T' },
        },
        u: { url: 'http://h/', auth: { type: 'basic', username: 'u', password: 'p' }, somethingElse: 1 },
      },
    };
    expect(wrongPaths(file)).toEqual([]);
    expect(resolveConfig(file).ok).toBe(true);
  });

  it.each([
    [{}, ''],
    [{ mcpServers: [] }, '/mcpServers'],
    [{ mcpServers: {}, port: '9090' }, '/port'],
    [{ mcpServers: {}, port: 65_536 }, '/port'],
    [{ mcpServers: {}, port: 1.5 }, '/port'],
    [{ mcpServers: { s: { command: 1 } } }, '/mcpServers/s/command'],
    [{ mcpServers: { s: { command: 'x', args: 'y' } } }, '/mcpServers/s/args'],
    [{ mcpServers: { s: { command: 'x', env: { A: 1 } } } }, '/mcpServers/s/env/A'],
    [{ mcpServers: { s: { url: 'x', protocolVersion: '2024' } } }, '/mcpServers/s/protocolVersion'],
    [{ mcpServers: { s: { url: 'x', auth: { type: 'none' } } } }, '/mcpServers/s/auth'],
    [{ mcpServers: {}, capabilityAliases: { a: 1 } }, '/capabilityAliases/a'],
    [{ mcpServers: {}, profiles: { p: {} } }, '/profiles/p'],
    [{ mcpServers: {}, resilience: { maxRestarts: -1 } }, '/resilience/maxRestarts'],
  ])('rejects %j at the path the validator names', (file, path) => {
    expect(wrongPaths(file)).toContain(path);
    expect(resolveConfig(file).ok).toBe(false);
  });

  it('describes its fields for editors', () => {
    const text = JSON.stringify(configJsonSchema());
    expect(text).toContain('HTTP port; 0 takes any free one (default 9090)');
    expect(configJsonSchema().title).toBe('Portico configuration (mcp_servers.json)');
  });
});
