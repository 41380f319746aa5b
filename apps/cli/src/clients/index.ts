// AI clients of this machine.
import type { Command } from 'commander';
import { addGroup, type Shell } from '../command.js';
import { addClientChanges } from './change.js';
import { addClientList } from './list.js';
import { addClientMove } from './move.js';

export function addClients(program: Command, shell: Shell): void {
  const group = addGroup(program, 'clients', 'Attach Portico to the AI clients of this machine');
  addClientList(group, shell);
  addClientChanges(group, shell);
  addClientMove(group, shell);
}
