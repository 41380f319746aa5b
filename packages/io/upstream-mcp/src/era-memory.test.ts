// Tests what is remembered of a server's era, and of a child that ends before it has answered.
import { resolveConfig, type ServerConfig } from '@portico/contracts';
import { expect, it } from 'vitest';
import { createEraMemory } from './era-memory.js';

function child(command: string): ServerConfig {
  const config = resolveConfig({ mcpServers: { s: { command } } });
  const server = config.ok ? config.value.servers.get('s') : undefined;
  if (server === undefined) throw new Error('the definition is not valid');
  return server;
}

const server = child('a');

it('asks a child that ends either way one thing at a time, in alternation, until it answers', () => {
  const memory = createEraMemory();
  const messages = [];
  for (let i = 0; i < 4; i++) {
    messages.push(memory.firstMessage('s', server));
    memory.failed('s', server, true);
  }
  expect(messages).toEqual([undefined, 'probe', 'initialize', 'probe']);
  expect(memory.firstMessage('s', child('b'))).toBeUndefined();
  memory.remember('s', server, 'modern');
  expect([memory.firstMessage('s', server), memory.recall('s', server)]).toEqual([undefined, 'modern']);
});

it('starts over after an answer that refuses', () => {
  const memory = createEraMemory();
  memory.failed('s', server, true);
  memory.failed('s', server, false);
  expect(memory.firstMessage('s', server)).toBeUndefined();
});

it('keeps that a child speaks the old way where it ends, and forgets it where it refuses', () => {
  const memory = createEraMemory();
  memory.remember('s', server, 'legacy');
  memory.failed('s', server, true);
  expect([memory.recall('s', server), memory.firstMessage('s', server)]).toEqual(['legacy', undefined]);
  memory.failed('s', server, false);
  expect(memory.recall('s', server)).toBeUndefined();
});
