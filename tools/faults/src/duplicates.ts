// A hundred equal requests at once: one contact, and one answer for all of them.
import { join } from 'node:path';
import { type Check, unless } from './check.js';
import { countingUpstreamPath, launchDaemon, writeConfig } from './daemon.js';
import { type Scope, tempFolder } from './scope.js';
import { countExecutions } from './storm-verdict.js';
import { type Envelope, meaningOf } from './wire.js';

const copies = 100;
const key = 'one-of-a-hundred';

export async function concurrentDuplicates(scope: Scope): Promise<readonly Check[]> {
  const folder = tempFolder(scope);
  const journal = join(folder, 'journal.jsonl');
  const counting = { command: process.execPath, args: [countingUpstreamPath, journal] };
  const daemon = launchDaemon(scope, writeConfig(folder, { mcpServers: { counting } }));
  await daemon.connected('counting');
  const body = { capability_id: 'counting.count', args: { key, ms: 300 } };
  const replies = await Promise.all(
    Array.from({ length: copies }, () => daemon.post<Envelope>('/v1/tools/call', body, { 'idempotency-key': key })),
  );
  const late = await daemon.post<Envelope>('/v1/tools/call', body, { 'idempotency-key': key });
  const texts = new Set([...replies, late].map(({ text }) => text));
  const count = countExecutions(journal).get(key) ?? 0;
  const marked = replies.filter(({ headers }) => headers['x-service-deduplicated'] === 'true').length;
  const wrong = replies.filter(({ status, body: envelope }) => status !== 200 || meaningOf(envelope, key) !== 'result');
  return [
    {
      what: `${copies} concurrent duplicates make one contact and get one answer`,
      figures: `${count} contact, ${texts.size} distinct body, ${marked} marked as deduplicated`,
      problems: [
        ...unless(count === 1, () => `the upstream was contacted ${count} times`),
        ...unless(texts.size === 1, () => `${texts.size} different bodies: ${[...texts].join(' and ')}`),
        ...unless(marked === copies - 1, () => `${marked} of ${copies} are marked as deduplicated`),
        ...wrong.map(({ status, text }) => `answered ${status} ${text}`),
      ],
    },
  ];
}
