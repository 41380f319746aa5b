// The description of access rules, for a system that reports the owner of a connection and one that does not.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '@portico/contracts';
import { expect, it } from 'vitest';
import { hasSocketTables } from '../peers/read-tables.js';
import { inspectAccess } from './inspect-access.js';

const config = resolveConfig({ mcpServers: {} });

it('says that every user is admitted where there is no socket table to read', async () => {
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  const empty = await mkdtemp(join(tmpdir(), 'no-tables-'));
  try {
    expect(await hasSocketTables(empty)).toBe(false);
    const [users, administration] = await inspectAccess(config.value, () => hasSocketTables(empty));
    expect(users).toContain('every user of this machine is admitted');
    expect(administration).toContain('any program of this machine may administer');
  } finally {
    await rm(empty, { recursive: true });
  }
});

it('says that other users are refused where there is one', async () => {
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  const [users] = await inspectAccess(config.value, async () => true);
  expect(users).toBe('other users of this machine are refused');
});
