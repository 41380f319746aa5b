// The configuration in force, and changing it.
import type { Command } from 'commander';
import { addGroup, type Shell } from '../command.js';
import { addAlias } from './alias.js';
import { addImport } from './import.js';
import { addPolicy } from './policy.js';
import { addProfile } from './profile.js';
import { addReload } from './reload.js';
import { addConfigShow } from './show.js';
import { addValidate } from './validate.js';

export function addConfig(program: Command, shell: Shell): void {
  const group = addGroup(program, 'config', 'Show and change the configuration');
  for (const add of [addConfigShow, addImport, addAlias, addPolicy, addProfile, addReload, addValidate])
    add(group, shell);
}
