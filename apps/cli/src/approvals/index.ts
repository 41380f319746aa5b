// Tickets of calls that wait for a person.
import type { Command } from 'commander';
import { addGroup, type Shell } from '../command.js';
import { addApprove } from './approve.js';
import { addApprovalList } from './list.js';
import { addReject } from './reject.js';
import { addApprovalShow } from './show.js';
import { addApprovalsWatch } from './watch.js';

export function addApprovals(program: Command, shell: Shell): void {
  const group = addGroup(program, 'approvals', 'Decide on calls that wait for a person');
  for (const add of [addApprovalList, addApprovalShow, addApprove, addReject, addApprovalsWatch]) add(group, shell);
}
