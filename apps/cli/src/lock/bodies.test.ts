// Acceptances and texts that are larger than a body may be.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxAccepted } from '@portico/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { inBodies, readForBody } from './bodies.js';

const bodyBytes = 4 * 1024 * 1024;
const digest = 'a'.repeat(64);

it.each([
  ['by their number', Array.from({ length: maxAccepted + 1 }, (_, at) => ({ id: `tool:s.t${at}`, digest }))],
  ['by their length', Array.from({ length: 300 }, (_, at) => ({ id: `tool:s.${'n'.repeat(20_000)}${at}`, digest }))],
])('splits an acceptance into bodies %s, in order and with nothing left out', (_name, items) => {
  const bodies = [...inBodies(items)];
  expect(bodies.length).toBeGreaterThan(1);
  expect(bodies.flat()).toEqual(items);
  for (const some of bodies) {
    expect(some.length).toBeLessThanOrEqual(maxAccepted);
    expect(Buffer.byteLength(JSON.stringify({ items: some, operator: 'n'.repeat(200) }))).toBeLessThan(bodyBytes);
  }
});

it('names the size of a file that no body has room for, the limit, and the way without a daemon', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'large.lock');
  writeFileSync(file, 'x'.repeat(bodyBytes));
  await expect(readForBody(file)).rejects.toThrow(
    /large\.lock is too large to be sent to a daemon: 4194\d{3} bytes, and a body has at most 4194304; use portico lock verify --offline/,
  );
});
