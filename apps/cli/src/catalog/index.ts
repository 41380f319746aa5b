// Commands that list capabilities and call them.
import type { Command } from 'commander';
import type { Shell } from '../command.js';
import { addBatch } from './batch.js';
import { addCall } from './call.js';
import { addCancel } from './cancel.js';
import { addComplete } from './complete.js';
import { addDescribe } from './describe.js';
import { addList } from './list.js';
import { addPrompt } from './prompt.js';
import { addRead } from './read.js';
import { addSearch } from './search.js';

export function addCatalog(program: Command, shell: Shell): void {
  for (const add of [addList, addSearch, addDescribe, addCall, addBatch, addRead, addPrompt, addComplete, addCancel]) {
    add(program, shell);
  }
}
