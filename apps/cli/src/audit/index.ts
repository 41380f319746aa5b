// The audit log.
import type { Command } from 'commander';
import { addGroup, type Shell } from '../command.js';
import { addAuditEvents } from './events.js';
import { addAuditExport } from './export.js';
import { addAuditKey } from './key.js';
import { addAuditShow } from './show.js';
import { addAuditStats } from './stats.js';
import { addAuditVerify } from './verify.js';

export function addAudit(program: Command, shell: Shell): void {
  const group = addGroup(program, 'audit', 'Read, check and export the audit log');
  for (const add of [addAuditEvents, addAuditShow, addAuditVerify, addAuditKey, addAuditStats, addAuditExport])
    add(group, shell);
}
