// The filters of `audit list` and `audit export`. The service checks their values.
import type { AuditFilters } from '@portico/client';
import type { Command } from 'commander';
import { toEnd, toStart } from '../input/time-words.js';

export interface FilterOptions {
  readonly actor?: string;
  readonly capability?: string;
  readonly type?: string;
  readonly status?: string;
  readonly server?: string;
  readonly trace?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly client?: string;
  readonly channel?: string;
  readonly shadow?: string | true;
}

export function addFilterFlags(command: Command): Command {
  return command
    .option('--type <event-type>', 'tool_call, approval_created, config_change, …')
    .option('--status <status>', 'success, failed, denied, intercepted or cancelled')
    .option('--capability <id>', 'of this capability')
    .option('--server <id>', 'of this server')
    .option('--actor <id>', 'of this actor')
    .option('--client <name>', 'of the program with this name, as it names itself')
    .option('--channel <channel>', 'over this channel: stdio, mcp-http, http, cli or ui')
    .option('--shadow [rule]', 'that a shadow rule would have stopped: any, or this one, as deny:github.*')
    .option('--trace <id>', 'of this trace')
    .option(
      '--since <time>',
      'from this time on: yesterday, 1h, 7d, 2026-11-22, 2026-11-22T10:00, RFC 3339, …',
      toStart,
    )
    .option('--until <time>', 'up to this time; a date includes the whole day', toEnd)
    .option('--text <words>', 'with this text in any value');
}

export function toFilters(options: FilterOptions): AuditFilters {
  return {
    event_type: options.type,
    status: options.status,
    capability_id: options.capability,
    server_id: options.server,
    actor_id: options.actor,
    trace_id: options.trace,
    start_time: options.since,
    end_time: options.until,
    q: options.text,
    client: options.client,
    channel: options.channel,
    shadow: options.shadow === true ? 'any' : options.shadow,
  };
}
