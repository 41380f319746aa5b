// Hostile hands on the audit log: who may write the log's files, and has no key, cannot add to it, rewrite it or cut it off
// unseen, while the service is stopped, after it was killed, and offline.
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuditEvent, auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { parseLines, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { query, startPostgres } from './support/postgres.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

interface LogFiles {
  readonly file: string;
  readonly sidecar: string;
  readonly stateDir: string;
}

const newLogFiles = () => placeIn(tempFolder());
const folderOf = ({ stateDir }: LogFiles) => dirname(stateDir);

function placeIn(folder: string): LogFiles {
  const file = join(folder, 'log/audit.jsonl');
  return { file, sidecar: `${file}.checkpoints`, stateDir: join(folder, 'state') };
}

function configOf({ file }: LogFiles, audit: object) {
  const upstream = scripted({ tools: [tool('a')] });
  return {
    upstream,
    config: { mcpServers: { s: upstream.server }, audit: { filePath: file, flushIntervalMs: 1, ...audit } },
  };
}

async function start(place: LogFiles, audit = {}) {
  const { config, upstream } = configOf(place, audit);
  const daemon = await startDaemon(config, { stateDir: place.stateDir });
  await daemon.connected();
  return { daemon, upstream, ...auditOf(daemon) };
}

async function startProcess(place: LogFiles, audit = {}) {
  const { config } = configOf(place, audit);
  const daemon = await startDaemonProcess(config, { stateDir: place.stateDir });
  await daemon.connected();
  return daemon;
}

/** State directories of ended daemons, by the settings of their logs. The log of a place is known by its path. */
const stopped = new Map<string, { readonly place: LogFiles; readonly copy: string }>();
const folderOfFile = tempFolder();

/** The log of a daemon that has answered five calls, as it was when that stopped. Where it is asked for again, a test before has ended. */
async function stoppedLog(audit = {}): Promise<LogFiles> {
  const name = createHash('md5').update(JSON.stringify(audit)).digest('hex');
  const known = stopped.get(name);
  if (known !== undefined) {
    rmSync(folderOf(known.place), { recursive: true });
    cpSync(known.copy, folderOf(known.place), { recursive: true, preserveTimestamps: true });
    return known.place;
  }
  const place = placeIn(join(folderOfFile, name));
  const { daemon } = await start(place, audit);
  for (let n = 0; n < 5; n++) await daemon.call('s.a', { n });
  await daemon.stop();
  const copy = join(folderOfFile, `copy-${name}`);
  cpSync(folderOf(place), copy, { recursive: true, preserveTimestamps: true });
  stopped.set(name, { place, copy });
  return place;
}

async function killedLog(): Promise<LogFiles> {
  const place = newLogFiles();
  const daemon = await startProcess(place);
  for (let n = 0; n < 5; n++) await daemon.call('s.a', { n });
  await eventually(() => expect(linesOf(place)).toHaveLength(6));
  await daemon.stop('SIGKILL');
  return place;
}

const textOf = ({ file }: LogFiles) => readFileSync(file, 'utf8');
const linesOf = (place: LogFiles) => textOf(place).split('\n').slice(0, -1);
const recordsOf = (place: LogFiles) => parseLines(textOf(place)) as unknown as readonly AuditEvent[];
const checkpointsOf = ({ sidecar }: LogFiles) => readFileSync(sidecar, 'utf8').split('\n').slice(0, -1);
const gapsOf = (place: LogFiles) =>
  recordsOf(place)
    .filter(({ event_type }) => event_type === 'audit_gap')
    .map(({ details }) => details);

/** RFC 8785 for what the records of these tests hold: plain texts, whole numbers, objects and lists. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A record as a forger writes it who has read the documentation: in its place in the chain, with the right hash. */
function forge(before: AuditEvent, fields: object): AuditEvent {
  const seq = Number(before.seq) + 1;
  const { hash: _hash, ...rest } = { ...before, ...fields };
  const record = { ...rest, seq, id: `aud-${String(seq).padStart(12, '0')}`, prev_hash: before.hash };
  return { ...record, hash: sha256(before.hash + canonical(record)) } as unknown as AuditEvent;
}

function appendForged(place: LogFiles, count: number): void {
  let last = recordsOf(place).at(-1) as AuditEvent;
  for (let n = 0; n < count; n++) {
    last = forge(last, { event_type: 'approval_approved', status: 'success', details: { operator: 'ann' } });
    appendFileSync(place.file, `${canonical(last)}\n`);
  }
}

/** All records from one on again, with a change in the first of them and hashes that fit. */
function rewriteFrom(place: LogFiles, index: number): void {
  const records = [...recordsOf(place)];
  for (let at = index; at < records.length; at++) {
    const change = at === index ? { sanitized_args: { n: 99 } } : {};
    records[at] = forge(records[at - 1] as AuditEvent, { ...records[at], ...change });
  }
  writeFileSync(place.file, records.map((record) => `${canonical(record)}\n`).join(''));
}

const printKey = async ({ stateDir }: LogFiles) => (await portico(['audit', 'key', '--state-dir', stateDir])).stdout;

/** Output of `portico audit key`, without a process for it: the key in use comes first. */
const keyOf = ({ stateDir }: LogFiles) =>
  /-+BEGIN[^-]+-+[^-]+-+END[^-]+-+\n/.exec(readFileSync(join(stateDir, 'audit.pub'), 'utf8'))?.[0] ?? '';

async function verifyOffline(place: LogFiles, pem?: string, ...args: readonly string[]) {
  const keyFile = join(tempFolder(), 'key.pem');
  writeFileSync(keyFile, pem ?? keyOf(place));
  const { code, stdout, stderr } = await portico(['audit', 'verify', place.file, '--key', keyFile, ...args]);
  return { code, text: `${stdout}${stderr}` };
}

/** Twenty lines of a stranger, with nothing but node:crypto: where the log is signed and whole, and the number of the last signed record. */
function verifyByStranger(place: LogFiles, pem: string): { readonly ok: boolean; readonly signed: number } {
  const publicKey = createPublicKey(pem);
  let head = sha256('portico-audit-v1');
  const hashes = new Map<number, string>();
  for (const line of linesOf(place)) {
    const { hash, ...record } = JSON.parse(line);
    if (record.prev_hash !== head || sha256(head + canonical(record)) !== hash) return { ok: false, signed: 0 };
    head = hash;
    hashes.set(record.seq, hash);
  }
  let signed = 0;
  for (const line of checkpointsOf(place)) {
    const { signature, ...checkpoint } = JSON.parse(line);
    const text = Buffer.from(`portico-audit-checkpoint-v1\n${canonical(checkpoint)}`);
    const isSigned = verify(null, text, publicKey, Buffer.from(signature, 'base64'));
    const isThere = hashes.get(checkpoint.seq) === checkpoint.hash && hashes.get(1) === checkpoint.chain_id;
    if (!isSigned || !isThere || checkpoint.seq <= signed) return { ok: false, signed };
    signed = checkpoint.seq;
  }
  return { ok: true, signed };
}

describe('records that an attacker adds to the audit file', () => {
  it('after a clean stop make the log invalid, and the next start says how many', async () => {
    const place = await stoppedLog();
    expect(linesOf(place)).toHaveLength(7);
    appendForged(place, 3);
    const { report, daemon } = await start(place);
    expect(await report()).toMatchObject({ is_valid: false, first_corrupted_id: 'aud-000000000011' });
    await daemon.stop();
    expect(gapsOf(place)).toMatchObject([{ reason: 'records_added', issued_seq: 7, added_records: 3 }]);
    expect((await verifyOffline(place)).text).toContain('the service had written up to record 7');
  });

  it('after a SIGKILL make it invalid too, also where as many records were lost as were added', async () => {
    const place = newLogFiles();
    const daemon = await startProcess(place, { flushIntervalMs: 60_000, maxBatchSize: 3 });
    for (let n = 0; n < 4; n++) await daemon.call('s.a', { n }); // two of five records wait, and are lost
    await eventually(() => expect(linesOf(place)).toHaveLength(3));
    await daemon.stop('SIGKILL');
    appendForged(place, 2);
    const next = await start(place);
    expect(await next.report()).toMatchObject({ is_valid: false });
    await next.daemon.stop();
    expect(gapsOf(place)).toMatchObject([{ reason: 'records_added', issued_seq: 3, added_records: 2 }]);
  });

  it('stay known where the next start is killed before it could say so', async () => {
    const place = await stoppedLog();
    appendForged(place, 1);
    const daemon = await startProcess(place, { flushIntervalMs: 60_000, maxBatchSize: 1000 });
    expect(linesOf(place)).toHaveLength(8);
    await daemon.stop('SIGKILL');
    const next = await start(place);
    expect(await next.report()).toMatchObject({ is_valid: false });
    await next.daemon.stop();
    expect(gapsOf(place)).toMatchObject([{ reason: 'records_added', issued_seq: 7, added_records: 1 }]);
  });

  it('differ from what a SIGKILL alone leaves, which is valid', async () => {
    const place = await killedLog();
    const { report, daemon } = await start(place);
    expect(await report()).toMatchObject({ is_valid: true });
    await daemon.stop();
    expect(gapsOf(place).filter((details) => details?.reason !== 'unclean_stop')).toEqual([]);
  });
});

describe('records that an attacker writes again with hashes that fit', () => {
  it('are found at the next start after a SIGKILL, before any head was kept', async () => {
    const place = await killedLog();
    rewriteFrom(place, 5);
    const { report, daemon } = await start(place);
    expect(await report()).toMatchObject({ is_valid: false });
    await daemon.stop();
    expect(gapsOf(place)).toMatchObject([{ reason: 'records_missing', expected_seq: 6 }]);
  });

  it('are found offline by the signed checkpoint, at the record that was signed', async () => {
    const place = await stoppedLog();
    const pem = keyOf(place);
    expect(verifyByStranger(place, pem)).toEqual({ ok: true, signed: 7 });
    rewriteFrom(place, 2);
    expect((await portico(['audit', 'verify', place.file])).code).toBe(0); // the chain alone is whole
    const found = await verifyOffline(place, pem);
    expect(found).toMatchObject({ code: 1, text: expect.stringContaining('aud-000000000007') });
    expect(found.text).toContain('its hash is not the signed one');
    expect(verifyByStranger(place, pem).ok).toBe(false);
  });

  it('are found offline where the end was cut off', async () => {
    const place = await stoppedLog();
    const pem = keyOf(place);
    writeFileSync(place.file, `${linesOf(place).slice(0, 5).join('\n')}\n`);
    expect(await verifyOffline(place, pem)).toMatchObject({
      code: 1,
      text: expect.stringContaining('record 7 was signed and is not in the log as it was signed'),
    });
  });
});

describe('signed checkpoints', () => {
  it('cover the whole log after a stop, by a key that its owner alone can read', async () => {
    const place = await stoppedLog({ checkpointRecords: 2 });
    const pem = keyOf(place);
    expect(await printKey(place)).toBe(pem);
    const whole = await verifyOffline(place, pem);
    expect(whole).toMatchObject({ code: 0, text: expect.stringContaining('checkpoints: signed up to record 7') });
    expect(checkpointsOf(place).length).toBeGreaterThan(1);
    for (const name of [place.sidecar, join(place.stateDir, 'audit.key'), join(place.stateDir, 'audit.pub')]) {
      expect(statSync(name).mode & 0o777).toBe(0o600);
    }
    expect(verifyByStranger(place, pem)).toEqual({ ok: true, signed: 7 });
    const raw = createPublicKey(pem).export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
    expect((await portico(['audit', 'verify', place.file, '--key', raw])).code).toBe(0);
  });

  it('say how many records follow the last one, in the file and by the service', async () => {
    const place = await stoppedLog();
    const pem = keyOf(place);
    const { daemon, report } = await start(place, { checkpointRecords: 1000 });
    await daemon.call('s.a');
    expect(await report()).toMatchObject({
      is_valid: true,
      checkpoints: { total: 1, verified: 1, last_seq: 7, records_after: 2 },
    });
    const found = await verifyOffline(place, pem);
    expect(found).toMatchObject({
      code: 0,
      text: expect.stringContaining('2 records after the last signed checkpoint'),
    });
    await daemon.stop();
  });

  it('come without a stop, after checkpointRecords and after checkpointIntervalMs', async () => {
    const often = newLogFiles();
    const { daemon } = await start(often, { checkpointRecords: 2 });
    for (let n = 0; n < 3; n++) await daemon.call('s.a', { n });
    await eventually(() => expect(checkpointsOf(often).length).toBeGreaterThan(0));
    const seldom = newLogFiles();
    await start(seldom, { checkpointIntervalMs: 1000 });
    await eventually(() => expect(checkpointsOf(seldom)).toHaveLength(1));
  });

  const tricks: readonly [string, (lines: readonly string[], place: LogFiles) => readonly string[], RegExp][] = [
    ['forged by another key in the name of ours', (lines) => [...lines, resign(lines.at(-1) ?? '')], /does not fit/],
    ['changed', (lines) => lines.map((line) => line.replace('"seq":7', '"seq":6')), /does not fit/],
    ['reordered', (lines) => lines.toReversed(), /repeated or out of order/],
    ['repeated', (lines) => [...lines, lines.at(-1) ?? ''], /repeated or out of order/],
    ['edited to no checkpoint', (lines) => [...lines, '{}'], /is no checkpoint/],
    ['gone, all of them', () => [], /no signed checkpoint covers any/],
  ];

  it.each(tricks)('that are %s make verification fail, offline and by the service', async (_what, trick, problem) => {
    const place = await stoppedLog({ checkpointRecords: 2 });
    const pem = keyOf(place);
    const { report } = await start(place, { checkpointIntervalMs: 80_000_000 });
    const lines = trick(checkpointsOf(place), place);
    writeFileSync(place.sidecar, lines.map((line) => `${line}\n`).join(''));
    const found = await verifyOffline(place, pem);
    expect(found.code).toBe(1);
    expect(found.text).toMatch(problem);
    const { is_valid, checkpoints } = await report();
    expect(checkpoints?.details).toMatch(problem);
    if (lines.length > 0) expect(is_valid).toBe(false); // without any, the service does not know that there were some
  });

  it('of another log do not fit, also by the same key', async () => {
    const [place, other] = [newLogFiles(), newLogFiles()];
    for (const at of [place, { ...other, stateDir: place.stateDir }]) {
      const { daemon } = await start(at);
      await daemon.call('s.a');
      await daemon.stop();
    }
    const pem = keyOf(place);
    expect((await verifyOffline(other, pem)).code).toBe(0);
    copyFileSync(place.sidecar, other.sidecar);
    const found = await verifyOffline(other, pem);
    expect(found).toMatchObject({ code: 1, text: expect.stringContaining('checkpoints were signed for another log') });
  });

  it('that were cut off say what they cover, and half a line at the end does not count', async () => {
    const place = await stoppedLog({ checkpointRecords: 2 });
    const [first = '', second = ''] = checkpointsOf(place);
    writeFileSync(place.sidecar, `${first}\n${second.slice(0, 30)}`);
    const { seq } = JSON.parse(first);
    const found = await verifyOffline(place);
    expect(found).toMatchObject({ code: 0, text: expect.stringContaining('is cut off') });
    expect(found.text).toContain(`${7 - seq} records after the last signed checkpoint`);
    await (await start(place)).daemon.stop();
    expect(await verifyOffline(place)).toMatchObject({
      code: 0,
      text: expect.stringContaining('signed up to record 9'),
    });
  });

  it('are verified with the former key after the key was lost, and the log says that it is new', async () => {
    const place = await stoppedLog();
    const former = await printKey(place);
    rmSync(join(place.stateDir, 'audit.key'));
    const { daemon } = await start(place);
    await daemon.stop();
    const now = await printKey(place);
    expect(now).not.toBe(former);
    expect(daemon.logText()).toContain('the key that signs checkpoints of the audit log is new');
    const old = await verifyOffline(place, former);
    expect(old).toMatchObject({ code: 0, text: expect.stringContaining('signed up to record 7') });
    expect(old.text).toContain('1 checkpoints by other keys');
    expect((await verifyOffline(place, now)).text).toContain('signed up to record 9');
    const all = (await portico(['audit', 'key', '--all', '--state-dir', place.stateDir])).stdout;
    expect(all.match(/BEGIN PUBLIC KEY/g)).toHaveLength(2);
    expect((await verifyOffline(place, all)).code).toBe(0);
  });

  it('by a forger who put a key of theirs in the place of audit.pub do not count for the key that was kept', async () => {
    const place = await stoppedLog();
    const pem = await printKey(place);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const theirs = String(publicKey.export({ type: 'spki', format: 'pem' }));
    rewriteFrom(place, 1);
    const last = recordsOf(place).at(-1);
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const checkpoint = {
      ...{ chain_id: recordsOf(place)[0]?.hash, seq: last?.seq, hash: last?.hash },
      ...{ time: '2026-01-02T03:04:05.678Z', key: createHash('sha256').update(der).digest('hex').slice(0, 16) },
    };
    const text = Buffer.from(`portico-audit-checkpoint-v1\n${canonical(checkpoint)}`);
    const signature = sign(null, text, privateKey).toString('base64');
    writeFileSync(place.sidecar, `${canonical({ ...checkpoint, signature })}\n`);
    writeFileSync(join(place.stateDir, 'audit.pub'), theirs);
    expect((await verifyOffline(place, theirs)).code).toBe(0); // so far the forgery is whole
    expect(await verifyOffline(place, pem)).toMatchObject({
      code: 1,
      text: expect.stringContaining('no signed checkpoint covers any of the 7'),
    });
    const { daemon } = await start(place);
    await daemon.stop();
    expect(daemon.logText()).toContain('the key that signs checkpoints of the audit log is new');
    expect(await printKey(place)).toBe(pem); // the one in use stands first again
  });

  it('do not show that the log and they were put back together: the head does, and the next start', async () => {
    const place = await stoppedLog();
    const backup = [place.file, place.sidecar].map((name) => [name, readFileSync(name)] as const);
    const { daemon } = await start(place);
    await daemon.call('s.a');
    await daemon.stop();
    const head = String(recordsOf(place).at(-1)?.hash);
    for (const [name, bytes] of backup) writeFileSync(name, bytes);
    expect((await verifyOffline(place)).code).toBe(0); // as the documentation says
    expect((await verifyOffline(place, undefined, '--head', head)).code).toBe(1);
    const { report } = await start(place);
    expect(await report()).toMatchObject({ is_valid: false });
    expect(gapsOf(place)).toEqual([expect.objectContaining({ reason: 'records_missing' })]);
  });

  it('go on where the clock has gone back', async () => {
    const place = newLogFiles();
    for (const clockAheadMs of [86_400_000, 0]) {
      const { config } = configOf(place, {});
      const daemon = await startDaemonProcess(config, { stateDir: place.stateDir, clockAheadMs });
      expect((await daemon.stop()).code).toBe(0);
    }
    const times = checkpointsOf(place).map((line) => JSON.parse(line).time);
    expect(times[0] > times[1]).toBe(true);
    expect((await verifyOffline(place)).code).toBe(0);
  });

  it('do not exist for a log in memory, and its report says so', async () => {
    const stateDir = join(tempFolder(), 'state');
    const daemon = await startDaemon({ mcpServers: {} }, { stateDir });
    expect(await auditOf(daemon).report()).toMatchObject({
      checkpoints: { total: 0, details: expect.stringContaining('in memory') },
    });
    expect(existsSync(join(stateDir, 'audit.key'))).toBe(false);
    expect(await portico(['audit', 'key', '--state-dir', stateDir])).toMatchObject({ code: 1, stdout: '' });
  });

  it('want a key that is one', async () => {
    const place = await stoppedLog();
    const refused = await portico(['audit', 'verify', place.file, '--key', 'no such key']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Ed25519 public key') });
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    const found = await verifyOffline(place, String(other));
    expect(found).toMatchObject({ code: 1, text: expect.stringContaining('no signed checkpoint covers any of the 7') });
  });
});

describe('the file of checkpoints', () => {
  it('is written through no link: the file that it points to keeps its bytes and its mode', async () => {
    const place = await stoppedLog();
    const victim = join(tempFolder(), 'victim');
    writeFileSync(victim, 'first line\nno line end');
    chmodSync(victim, 0o644);
    rmSync(place.sidecar);
    symlinkSync(victim, place.sidecar);
    const { daemon } = await start(place, { checkpointRecords: 1 });
    expect((await daemon.call('s.a')).status).toBe(200);
    await daemon.stop();
    expect([readFileSync(victim, 'utf8'), statSync(victim).mode & 0o777]).toEqual(['first line\nno line end', 0o644]);
    expect(daemon.logText()).toContain('is a link, and nothing is written through one');
  });

  it('that ends in something else is left as it is, and the service says why it does not sign', async () => {
    const place = await stoppedLog();
    appendFileSync(place.sidecar, 'notes of somebody');
    const before = readFileSync(place.sidecar, 'utf8');
    const { daemon } = await start(place);
    await daemon.stop();
    expect(readFileSync(place.sidecar, 'utf8')).toBe(before);
    expect(daemon.logText()).toContain('ends in what is no checkpoint');
  });
});

describe('records that read the same and are written in another way', () => {
  it.each<[string, (line: string) => string]>([
    ['a second key of a name before the one that counts', (line) => line.replace('{', '{"status":"denied",')],
    ['an escape for a letter', (line) => line.replace('"success"', '"\\u0073uccess"')],
    ['a number with a fraction', (line) => line.replace(/"seq":(\d+)/, '"seq":$1.0')],
    ['a number with an exponent', (line) => line.replace(/"seq":(\d+)/, '"seq":$1e0')],
    ['a space', (line) => line.replace('":', '": ')],
    [
      'keys in another order',
      (line) => {
        const { hash, ...rest } = JSON.parse(line);
        return JSON.stringify({ hash, ...rest });
      },
    ],
    ['a carriage return', (line) => `${line}\r`],
    ['a byte order mark', (line) => `\ufeff${line}`],
  ])('are not valid: %s', async (_what, change) => {
    const place = await stoppedLog();
    const lines = linesOf(place);
    const changed = lines.map((line, at) => (at === 3 ? change(line) : line));
    expect(changed).not.toEqual(lines);
    writeFileSync(place.file, changed.map((line) => `${line}\n`).join(''));
    expect((await verifyOffline(place)).code).toBe(1);
  });
});

describe('an exported log', () => {
  it('has its checkpoints beside it, and is verified with the public key alone', async () => {
    const place = newLogFiles();
    const { daemon } = await start(place, { checkpointRecords: 2, durability: 'strict' });
    for (let n = 0; n < 5; n++) await daemon.call('s.a', { n });
    await eventually(() => expect(checkpointsOf(place).length).toBeGreaterThan(1));
    const copy: LogFiles = { ...place, file: join(tempFolder(), 'copy.jsonl'), sidecar: '' };
    const exportTo = (...args: readonly string[]) =>
      portico(['audit', 'export', '-o', copy.file, '--url', daemon.url, ...args]);
    expect((await exportTo()).code).toBe(0);
    expect(statSync(`${copy.file}.checkpoints`).mode & 0o777).toBe(0o600);
    const found = await verifyOffline(copy, keyOf(place));
    expect(found).toMatchObject({ code: 0, text: expect.stringContaining('signed up to record') });
    rewriteFrom(copy, 1);
    expect((await verifyOffline(copy, keyOf(place))).code).toBe(1);
    const piped = await portico(['audit', 'export', '--format', 'checkpoints', '--url', daemon.url]);
    expect(piped.stdout.split('\n').slice(0, 2)).toEqual(checkpointsOf(place).slice(0, 2));
    const filtered = await portico([
      'audit',
      'export',
      '--format',
      'checkpoints',
      '--status',
      'success',
      '--url',
      daemon.url,
    ]);
    expect([filtered.code === 0, filtered.stderr]).toEqual([false, expect.stringContaining('leave the filters out')]);
    rmSync(`${copy.file}.checkpoints`);
    expect((await exportTo('--status', 'success')).code).toBe(0);
    expect(existsSync(`${copy.file}.checkpoints`)).toBe(false);
  });
});

describe('a log in PostgreSQL', () => {
  const startPlace = async (url: string, stateDir: string) => {
    const upstream = scripted({ tools: [tool('a')] });
    const audit = { checkpointRecords: 2, flushIntervalMs: 1 };
    const daemon = await startDaemon({ mcpServers: { s: upstream.server }, audit, storage: { url } }, { stateDir });
    await daemon.connected();
    for (let n = 0; n < 5; n++) await daemon.call('s.a', { n });
    return { daemon, stateDir, ...auditOf(daemon) };
  };
  const exported = async (url: string): Promise<string> => {
    const file = join(tempFolder(), 'export.jsonl');
    expect((await portico(['audit', 'export', '-o', file, '--url', url])).code).toBe(0);
    return file;
  };
  /** Rewrites records and head from one record on, as an attacker with access to the database and without the key. */
  const rewriteChain = async (url: string, chain: string, from: number) => {
    const rows = await query(url, `select line from audit_records where chain_id = '${chain}' order by seq`);
    const records = rows.map(({ line }) => JSON.parse(String(line)) as AuditEvent);
    for (let at = from; at < records.length; at++) {
      const { hash: _hash, ...rest } = records[at] as AuditEvent;
      const prev_hash = String(records[at - 1]?.hash);
      const record = { ...rest, ...(at === from && { sanitized_args: { n: 99 } }), prev_hash };
      records[at] = { ...record, hash: sha256(prev_hash + canonical(record)) } as unknown as AuditEvent;
      const line = canonical(records[at]).replaceAll("'", "''");
      await query(url, `update audit_records set line = '${line}' where chain_id = '${chain}' and seq = ${at + 1}`);
    }
    await query(url, `update audit_heads set hash = '${records.at(-1)?.hash}' where log like '%${chain}'`);
  };

  it('is signed chain by chain, verified in the database and from an export, and a rewritten chain is found', async () => {
    const server = await startPostgres();
    const url = server.url(await server.createDatabase());
    const [one, other] = [
      await startPlace(url, join(tempFolder(), 'one')),
      await startPlace(url, join(tempFolder(), 'other')),
    ];
    const keys = `${keyOf({ ...newLogFiles(), stateDir: one.stateDir })}${keyOf({ ...newLogFiles(), stateDir: other.stateDir })}`;
    await other.daemon.stop();
    const { is_valid, checkpoints } = await one.report();
    expect([is_valid, checkpoints?.details]).toEqual([true, expect.stringContaining('by other keys')]);
    const file = await exported(one.daemon.url);
    const place: LogFiles = { file, sidecar: `${file}.checkpoints`, stateDir: one.stateDir };
    expect((await verifyOffline(place, keys)).text).toContain('signed up to record');
    expect((await verifyOffline(place, keys)).code).toBe(0);

    // The owner of the database writes the chain of the ended daemon again, with hashes and a head that fit.
    const [row] = await query(url, "select chain_id from audit_records where line like '%service_stop%'");
    const chain = String(row?.chain_id);
    await rewriteChain(url, chain, 2);
    const forged = await exported(one.daemon.url);
    const found = await verifyOffline({ ...place, file: forged, sidecar: `${forged}.checkpoints` }, keys);
    expect(found).toMatchObject({ code: 1, text: expect.stringContaining('its hash is not the signed one') });
    const without = await portico(['audit', 'verify', forged]);
    expect(without.code).toBe(0); // what the hashes alone say

    // All of a chain is removed, with its head: what was signed is still there.
    await query(url, `delete from audit_records where chain_id = '${chain}'`);
    await query(url, `delete from audit_heads where log like '%${chain}'`);
    const rest = await exported(one.daemon.url);
    const gone = await verifyOffline({ ...place, file: rest, sidecar: `${rest}.checkpoints` }, keys);
    expect(gone).toMatchObject({ code: 1, text: expect.stringContaining(chain) });

    // Its own chain the daemon finds by itself.
    await query(url, 'delete from audit_checkpoints');
    expect((await one.report()).checkpoints?.details).toContain('that checkpoint no longer exists');
    await one.daemon.stop();
  });
});

/** The checkpoint of a later record, signed by a key that the forger has made. */
function resign(line: string): string {
  const { signature: _signature, ...checkpoint } = JSON.parse(line);
  const later = { ...checkpoint, seq: checkpoint.seq + 1, hash: sha256('forged') };
  const text = Buffer.from(`portico-audit-checkpoint-v1\n${canonical(later)}`);
  const signature = sign(null, text, generateKeyPairSync('ed25519').privateKey).toString('base64');
  return canonical({ ...later, signature });
}
