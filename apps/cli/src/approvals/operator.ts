// The name of the operator who decides, as the audit log records it when no role identifies them.
import { userInfo } from 'node:os';
import type { Command } from 'commander';

export interface OperatorOptions {
  readonly operator?: string;
}

export function addOperatorFlag(command: Command): Command {
  return command.option('--operator <name>', 'who decides (default: PORTICO_OPERATOR, else the name of this user)');
}

export function operatorOf({ operator }: OperatorOptions): string {
  return operator || process.env.PORTICO_OPERATOR || userName();
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER || 'operator'; // a user without an entry, as in some containers
  }
}
