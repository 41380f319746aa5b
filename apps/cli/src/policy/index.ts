// Rules before they bite, and what they have met since.
import type { Command } from 'commander';
import { addGroup, type Shell } from '../command.js';
import { addPolicyMatch } from './match.js';
import { addPolicyRules } from './rules.js';
import { addPolicyTest } from './test.js';

export function addPolicyTrials(program: Command, shell: Shell): void {
  const group = addGroup(program, 'policy', 'Try rules before they bite, and see what they have met');
  for (const add of [addPolicyTest, addPolicyMatch, addPolicyRules]) add(group, shell);
}
