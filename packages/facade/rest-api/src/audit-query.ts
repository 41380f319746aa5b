// The filters of the audit log as a query string has them. An invalid value is refused: an ignored filter would show
// unrequested records.
import type { AuditFilter } from '@portico/audit-chain';
import { auditChannels, auditEventTypes, auditStatuses, PorticoError } from '@portico/contracts';
import type { Context } from 'hono';

const maxLength = 1024;

/** @throws PorticoError INVALID_ARGS */
export function auditFilterOf(c: Context): AuditFilter {
  return {
    actor_id: textOf(c, 'actor_id'),
    capability_id: textOf(c, 'capability_id'),
    server_id: textOf(c, 'server_id'),
    trace_id: textOf(c, 'trace_id'),
    q: textOf(c, 'q'),
    client: textOf(c, 'client'),
    shadow: textOf(c, 'shadow'),
    channel: oneOf(c, 'channel', auditChannels),
    ...typesOf(c),
    rule: textOf(c, 'rule'),
    status: oneOf(c, 'status', auditStatuses),
    start_ms: timeOf(c, 'start_time'),
    end_ms: timeOf(c, 'end_time'),
  };
}

/** One type, or several between commas. @throws PorticoError INVALID_ARGS */
function typesOf(c: Context): Pick<AuditFilter, 'event_type' | 'event_types'> {
  const text = textOf(c, 'event_type');
  if (text?.includes(',') !== true) return { event_type: oneOf(c, 'event_type', auditEventTypes) };
  const names = text.split(',');
  const event_types = auditEventTypes.filter((type) => names.includes(type));
  if (event_types.length === names.length) return { event_types };
  throw new PorticoError('INVALID_ARGS', `query event_type: expected some of ${auditEventTypes.join(', ')}, once each`);
}

/** @throws PorticoError INVALID_ARGS */
export function oneOf<T extends string>(c: Context, name: string, values: readonly T[]): T | undefined {
  const text = textOf(c, name);
  if (text === undefined) return undefined;
  const value = values.find((known) => known === text);
  if (value !== undefined) return value;
  throw new PorticoError('INVALID_ARGS', `query ${name}: expected one of ${values.join(', ')}`);
}

/** @throws PorticoError INVALID_ARGS */
export function textOf(c: Context, name: string): string | undefined {
  const [text, ...more] = c.req.queries(name) ?? [];
  if (more.length > 0) throw new PorticoError('INVALID_ARGS', `query ${name}: is given several times; give it once`);
  if (text === '') throw new PorticoError('INVALID_ARGS', `query ${name}: is empty; leave it out to see all`);
  if (text === undefined || text.length <= maxLength) return text;
  throw new PorticoError('INVALID_ARGS', `query ${name}: is longer than ${maxLength} characters (a fixed limit)`);
}

/** Date and time of RFC 3339, section 5.6; where a query string was not encoded, its plus sign arrives as a space. */
const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+\- ]\d{2}:\d{2})$/i;
const unixSeconds = /^\d{1,11}(\.\d+)?$/;

/** Milliseconds since the Unix epoch. @throws PorticoError INVALID_ARGS */
export function timeOf(c: Context, name: string): number | undefined {
  const text = textOf(c, name);
  return text === undefined ? undefined : timeIn(text, `query ${name}`);
}

/** The same of a text. @param where what the message names. @throws PorticoError INVALID_ARGS */
export function timeIn(text: string, where: string): number {
  const epochMs = unixSeconds.test(text)
    ? Math.round(Number(text) * 1000)
    : rfc3339.test(text)
      ? Date.parse(text.toUpperCase().replace(' ', '+'))
      : Number.NaN;
  if (!Number.isNaN(epochMs)) return epochMs;
  throw new PorticoError('INVALID_ARGS', `${where}: expected a time as in RFC 3339, or Unix seconds`);
}
