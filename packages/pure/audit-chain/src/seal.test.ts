// Sealing: golden records that were also computed by hand, and what holds for every draft.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type AuditDraft,
  auditEventTypes,
  auditStatuses,
  genesisHash,
  genesisHead,
  recordId,
  recordLine,
  seal,
} from './index.js';
import { toChain } from './testing/to-chain.js';

interface Golden {
  readonly draft: AuditDraft;
  readonly line: string;
  readonly hash: string;
}

// Written by Python's json and hashlib. Read as text: bundlers take __proto__ in an imported object for its prototype.
const goldens: readonly Golden[] = JSON.parse(readFileSync(new URL('./golden-vectors.json', import.meta.url), 'utf8'));

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

/** The canonical JSON of each golden record without `hash`, by hand; PREV is replaced by the hash before. */
const bodies = [
  '{"event_type":"service_start","id":"aud-000000000001","prev_hash":"PREV","seq":1,"status":"success","timestamp":"2026-01-02T03:04:05.678Z"}',
  '{"actor_id":"agent-1","approval_id":"apr-1","capability_id":"git.push","details":{"emoji":"😀","note":"quote \\" backslash \\\\ tab \\t bell \\u0007 line\\nbreak \u2028 end"},"duration_us":1234,"event_type":"tool_call","grant_id":"g-1","id":"aud-000000000002","idempotency_key":"idk_1","is_replay":false,"operation_id":"op-1","prev_hash":"PREV","request_id":"r-1","role":"operator","sanitized_args":{"__proto__":{"x":1},"a":{"b":"","é":"ü"},"z":[1,4.5,1e-7,null,true]},"seq":2,"server_id":"git","status":"success","timestamp":"2026-01-02T03:04:06.000Z","trace_id":"0af7651916cd43dd8448eb211c80319c","work_item_id":"wi-1"}',
  '{"capability_id":"git.push","event_type":"idempotent_replay","id":"aud-000000000003","idempotency_key":"idk_1","is_replay":true,"prev_hash":"PREV","seq":3,"status":"success","timestamp":"2026-01-02T03:04:07.001Z","trace_id":"t-2"}',
  '{"actor_id":"half \ufffd pair","capability_id":"fs.delete","error_code":"POLICY_DENIED","event_type":"policy_violation","id":"aud-000000000004","prev_hash":"PREV","sanitized_args":{"\ufffd":"\ufffd\ufffd"},"seq":4,"status":"denied","timestamp":"2026-01-02T03:04:08.002Z","trace_id":"t-3"}',
  '{"details":{"added":[],"counts":{"1":0,"10":1e+21,"9":-1.5},"removed":{}},"event_type":"config_change","id":"aud-000000000005","prev_hash":"PREV","seq":5,"status":"success","timestamp":"2026-01-02T03:04:09.003Z"}',
  '{"capability_id":"=cmd|\' /C calc\'!A0","duration_us":0,"error_code":"OPERATION_CANCELLED","event_type":"tool_call","id":"aud-000000000006","prev_hash":"PREV","seq":6,"status":"cancelled","timestamp":"2026-01-02T03:04:10.004Z","trace_id":""}',
];

const draft: AuditDraft = { timestamp: '2026-01-02T03:04:05.678Z', event_type: 'tool_call', status: 'success' };

describe('the golden records', () => {
  it('have the hashes that the bodies written by hand give', () => {
    let prev = sha256('portico-audit-v1');
    const hashes = bodies.map((body) => {
      prev = sha256(prev + body.replace('PREV', prev));
      return prev;
    });
    expect(hashes).toEqual(goldens.map(({ hash }) => hash));
  });

  it('are sealed to the same lines and hashes, byte for byte', () => {
    const { records, lines } = toChain(goldens.map((golden) => golden.draft));
    expect(lines).toEqual(goldens.map(({ line }) => line));
    expect(records.map(({ hash }) => hash)).toEqual(goldens.map(({ hash }) => hash));
    expect(records.map(recordLine)).toEqual(lines);
  });

  it('stand on the genesis', () => {
    expect(genesisHash).toBe('53a81e83fde5f6c3c16d6ac077ad8b31718c66fe030c118f1e466b798a31790e');
    expect(genesisHead).toEqual({ seq: 0, hash: genesisHash });
  });
});

describe('seal', () => {
  it('gives the record its id, its position and the fields in their order', () => {
    const golden = goldens[1] as Golden; // there are six
    const { record, head } = seal({ seq: 41, hash: 'f'.repeat(64) }, { ...golden.draft, error_code: 'X' });
    expect(head).toEqual({ seq: 42, hash: record.hash });
    expect(record).toMatchObject({ id: 'aud-000000000042', seq: 42, prev_hash: 'f'.repeat(64) });
    expect(Object.keys(record).join()).toBe(
      'id,seq,timestamp,event_type,status,trace_id,request_id,operation_id,work_item_id,actor_id,grant_id,role,' +
        'server_id,capability_id,approval_id,idempotency_key,is_replay,sanitized_args,error_code,duration_us,details,' +
        'prev_hash,hash',
    );
  });

  it('leaves the draft as it is', () => {
    const details = { a: '\ud800', b: undefined };
    const before = structuredClone(details);
    seal(genesisHead, { ...draft, details });
    expect(details).toEqual(before);
  });

  it('omits what is absent, and fields that no record has', () => {
    const given = { ...draft, actor_id: null, role: undefined, hash: 'x', other: 1 } as unknown as AuditDraft;
    expect(seal(genesisHead, given)).toEqual(seal(genesisHead, draft));
  });

  it('logs what has no canonical form: halves of pairs as U+FFFD, no number as null, no end as a note', () => {
    const cycle: Record<string, unknown> = {};
    cycle.again = cycle;
    const details = { half: 'a\ud800', '\udc00': [Number.NaN, undefined, () => 1, -0], pair: '😀', cycle };
    const { record, line } = seal(genesisHead, {
      ...draft,
      duration_us: Number.NaN,
      details: details as unknown as NonNullable<AuditDraft['details']>,
    });
    expect(record.details).toMatchObject({ half: 'a\ufffd', '\ufffd': [null, null, null, 0], pair: '😀' });
    expect(record).not.toHaveProperty('duration_us');
    expect(line).toContain('[nested too deep]');
    expect(JSON.parse(line)).toEqual(record);
  });
});

describe('recordId', () => {
  it('has 12 digits, and more where 12 are not enough', () => {
    expect([recordId(1), recordId(10 ** 12)]).toEqual(['aud-000000000001', 'aud-1000000000000']);
  });
});

describe('the names', () => {
  it('of event types and statuses are the ones that were agreed', () => {
    expect(auditEventTypes.join(' ')).toBe(
      'tool_call resource_read prompt_get approval_created approval_approved approval_rejected approval_expired ' +
        'policy_violation config_change idempotent_replay sampling auth_failure audit_gap service_start service_stop',
    );
    expect(auditStatuses.join(' ')).toBe('success failed denied intercepted cancelled');
  });
});
