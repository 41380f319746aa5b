// The reference server of MCP over stdio.
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Daemon, repository } from './daemon.js';
import { eventually } from './wait.js';

export const everythingMain = join(repository, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** The entry of `mcpServers`. */
export const everything = { command: process.execPath, args: [everythingMain, 'stdio'] };

/**
 * It asks for roots a moment after its start. A question that comes during a call counts as one of that call, so tests
 * with calls that ask wait until it has been answered.
 */
export const hasItsRoots = (daemon: Daemon, id: string) =>
  eventually(async () => expect((await daemon.get(`/v1/servers/${id}/logs`)).text).toContain('Roots updated'));
