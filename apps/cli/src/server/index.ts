// Upstream servers.
import type { Command } from 'commander';
import { addGroup, type Shell } from '../command.js';
import { addServerAdd } from './add.js';
import { addServerGet } from './get.js';
import { addServerList } from './list.js';
import { addServerLogs } from './logs.js';
import { addServerRemove } from './remove.js';
import { addServerRestart } from './restart.js';
import { addServerTest } from './test.js';

export function addServer(program: Command, shell: Shell): void {
  const group = addGroup(program, 'server', 'Add, remove and look after upstream servers');
  const all = [
    addServerList,
    addServerGet,
    addServerAdd,
    addServerRemove,
    addServerTest,
    addServerRestart,
    addServerLogs,
  ];
  for (const add of all) add(group, shell);
}
