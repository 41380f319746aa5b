// A call that waits for approval outlives a SIGKILL, and two approvals at once run it once.
import { join } from 'node:path';
import { type Check, unless } from './check.js';
import { countingUpstreamPath, launchDaemon, writeConfig } from './daemon.js';
import { type Scope, tempFolder } from './scope.js';
import { countExecutions } from './storm-verdict.js';
import { type Approved, type Envelope, meaningOf } from './wire.js';

const key = 'approved-after-kill';

export async function approveAfterKill(scope: Scope): Promise<readonly Check[]> {
  const folder = tempFolder(scope);
  const journal = join(folder, 'journal.jsonl');
  const counting = { command: process.execPath, args: [countingUpstreamPath, journal] };
  const home = writeConfig(folder, { mcpServers: { counting }, policy: { requireApproval: ['counting.gated'] } });
  const body = { capability_id: 'counting.gated', args: { key, ms: 50 } };
  const headers = { 'idempotency-key': key };

  const first = launchDaemon(scope, home);
  await first.connected('counting');
  const gated = await first.post<Envelope>('/v1/tools/call', body, headers);
  const id = gated.body.error?.approval_id;
  await first.kill();
  const before = countExecutions(journal).get(key) ?? 0;

  const second = launchDaemon(scope, home);
  await second.connected('counting');
  const approve = () => second.post<Approved>(`/v1/approvals/${id}/approve`, { operator: 'faults' });
  const decisions = await Promise.all([approve(), approve()]);
  const repeat = await second.post<Envelope>('/v1/tools/call', body, headers);
  const count = countExecutions(journal).get(key) ?? 0;
  const statuses = decisions.map(({ status }) => status).sort((a, b) => a - b);
  const result = decisions.find(({ status }) => status === 200)?.body.result;
  return [
    {
      what: 'a call approved twice after SIGKILL runs once',
      figures: `${count} contact, approvals answered ${statuses.join(' and ')}`,
      problems: [
        ...unless(
          gated.status === 202 && id !== undefined,
          () => `the call was answered ${gated.status} ${gated.text}`,
        ),
        ...unless(before === 0, () => `${before} contacts before it was approved`),
        ...unless(count === 1, () => `the upstream was contacted ${count} times`),
        ...unless(statuses.join() === '200,409', () => `the approvals were answered ${statuses.join(' and ')}`),
        ...unless(meaningOf(result ?? undefined, key) === 'result', () => `the result is ${JSON.stringify(result)}`),
        ...unless(repeat.text === JSON.stringify(result), () => `a repeat is answered ${repeat.text}`),
      ],
    },
  ];
}
