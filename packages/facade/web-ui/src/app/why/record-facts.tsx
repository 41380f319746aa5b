// The content of an audit record, meaning first: the event, where to go on, and the proof, folded.
import { type Explanation, exactJson, toEventText } from '@portico/contracts';
import { Link } from 'wouter';
import { Badge } from '../components/badge.js';
import { JsonView } from '../components/code-view.js';
import { Moment } from '../components/moment.js';
import { VisibleText } from '../components/visible-text.js';
import type { AuditRecord } from '../lib/audit-record.js';
import { formatDateTime, formatDuration } from '../lib/format.js';

interface RecordProps {
  readonly record: AuditRecord;
}

export function RecordFacts({ record }: RecordProps) {
  const { timestamp, sanitized_args: args, duration_us: took, queue_us: queued, upstream_us: upstream } = record;
  const { outcome, tone } = toEventText(record);
  const parts = [
    ...(queued === undefined ? [] : [`${formatDuration(queued / 1000)} in the queue`]),
    ...(upstream === undefined ? [] : [`${formatDuration(upstream / 1000)} at the server`]),
  ];
  return (
    <dl className="facts">
      <dt>Outcome</dt>
      <dd>
        <Badge tone={tone}>
          <VisibleText text={outcome} />
        </Badge>
      </dd>
      <dt>Who</dt>
      <dd>
        <VisibleText text={callerText(record)} />
      </dd>
      <dt>When</dt>
      <dd>
        <Moment at={new Date(timestamp)} />, {formatDateTime(new Date(timestamp))}
      </dd>
      {took === undefined ? null : (
        <>
          <dt>Took</dt>
          <dd>{[formatDuration(took / 1000), ...parts].join(', ')}</dd>
        </>
      )}
      {args === undefined || Object.keys(args).length === 0 ? null : (
        <>
          <dt>Arguments</dt>
          <dd className="mono">
            <VisibleText text={exactJson(args)} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** The name that the caller gave, its channel, and its proved identity: several callers may use one name. */
function callerText({ client, channel, actor_id: actor, actor_kind: kind, role, profile }: AuditRecord): string {
  const name = client === undefined ? undefined : [client.name, client.version].filter(Boolean).join(' ');
  const proved = actor ?? role;
  return [
    name,
    channel === undefined ? undefined : `over ${channel}`,
    proved === undefined ? kind : `as ${proved}${kind === undefined ? '' : ` (${kind})`}`,
    profile === undefined ? undefined : `profile ${profile}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

export function Related({ record }: RecordProps) {
  const { approval_id: approval, trace_id: trace, server_id: server, capability_id: capability } = record;
  const links = [
    ...(approval === undefined ? [] : [[`/approvals?id=${encodeURIComponent(approval)}`, 'The ticket']]),
    ...(trace === undefined ? [] : [[`/audit?trace_id=${trace}`, 'All records of the trace']]),
    ...(capability === undefined
      ? []
      : [[`/audit?capability_id=${encodeURIComponent(capability)}`, 'Other records of it']]),
    ...(server === undefined ? [] : [[`/servers/${encodeURIComponent(server)}`, 'The server']]),
  ] as const;
  if (links.length === 0) return null;
  return (
    <nav className="row" aria-label="Related">
      {links.map(([href = '', text]) => (
        <Link key={href} href={href}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

interface ProofProps extends RecordProps {
  readonly explanation: Explanation | undefined;
}

export function Proof({ record, explanation }: ProofProps) {
  const { id, prev_hash: previous, hash, trace_id: trace } = record;
  return (
    <details>
      <summary>Proof{explanation === undefined ? '' : `: ${verifiedText(explanation)}`}</summary>
      <div className="stack">
        {explanation === undefined ? null : (
          <p>
            <VisibleText text={explanation.verification} />
          </p>
        )}
        <dl className="facts">
          <dt>Record</dt>
          <dd className="mono">{id}</dd>
          {trace === undefined ? null : (
            <>
              <dt>Trace</dt>
              <dd className="mono">{trace}</dd>
            </>
          )}
          <dt>Hash</dt>
          <dd className="mono">{hash}</dd>
          <dt>Hash before it</dt>
          <dd className="mono">{previous}</dd>
        </dl>
        <JsonView label="Record" value={record} />
      </div>
    </details>
  );
}

function verifiedText({ verified }: Explanation): string {
  return verified === 'unknown' ? 'not known' : verified ? 'verified' : 'does not hold';
}
