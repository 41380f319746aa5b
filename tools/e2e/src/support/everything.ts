// The reference server of MCP over stdio.
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Daemon, repository } from './daemon.js';
import { eventually } from './wait.js';

export const everythingMain = join(repository, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** The entry of `mcpServers`. */
export const everything = { command: process.execPath, args: [everythingMain, 'stdio'] };

/**
 * It asks for roots a moment after its start. A question that comes during a call is taken for one of that call, so who
 * has calls that ask waits until it has been answered.
 */
export const hasItsRoots = (daemon: Daemon, id: string) =>
  eventually(async () => expect((await daemon.get(`/v1/servers/${id}/logs`)).text).toContain('Roots updated'));
