import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AuditDraft, createVerifier, genesisHead, seal } from '@portico/audit-chain';

const file = 'deployments.jsonl';
rmSync(file, { force: true });

let head = genesisHead;
function record(draft: AuditDraft): void {
  const sealed = seal(head, draft);
  appendFileSync(file, `${sealed.line}\n`);
  head = sealed.head;
}

const timestamp = '2026-01-01T12:00:00.000Z';
for (const version of ['1.4.0', '1.4.1']) {
  record({ timestamp, event_type: 'config_change', status: 'success', actor_id: 'ann', details: { version } });
}

function verify() {
  const verifier = createVerifier();
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) verifier.push(line);
  const { is_valid, total_records, first_corrupted_id } = verifier.end();
  return { is_valid, total_records, first_corrupted_id };
}

console.log(verify());
writeFileSync(file, readFileSync(file, 'utf8').replace('1.4.0', '1.3.9'));
console.log(verify());
