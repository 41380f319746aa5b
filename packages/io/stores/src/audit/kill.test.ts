// A process that is killed in the middle of a storm: the next start goes on, and the log says exactly what is missing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createAuditFiles, recordsOf } from './testing/audit-files.js';

const files = createAuditFiles();
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await files.removeAll();
});

/** The number of actions that the process had ended, as far as it had written that down, when it was killed. */
async function stormAndKill(directory: string, durability: string, ms: number): Promise<number> {
  const script = fileURLToPath(new URL('./testing/append-and-wait.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory, durability], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  await setTimeout(ms);
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
  return Number((await readFile(join(directory, 'ended'), 'utf8')).split('\n').at(-2));
}

it.each([
  ['buffered', 222],
  ['strict', 333],
])(
  'reports the losses of a %s log after %d ms',
  async (durability, ms) => {
    const directory = await files.createDirectory();
    let known = 0;
    for (let round = 0; round < 2; round++) {
      const before = known;
      const ended = await stormAndKill(directory, durability, ms);
      const log = await files.open(directory);
      const records = await recordsOf(log);
      const kept = records.slice(before).filter(({ event_type }) => event_type === 'tool_call').length;
      const gaps = records.slice(before).filter(({ event_type }) => event_type === 'audit_gap');
      expect(gaps).toHaveLength(1);
      const { lost_records: lost, unfinished_actions: unfinished, reason } = gaps[0]?.details ?? {};
      expect(reason).toBe('unclean_stop');
      // Every action is in the file, lost or unfinished. Actions that ended in the last turn of the event loop may
      // count as unfinished, and actions after the last line of the process are in none of its numbers.
      const owed = ended + Math.floor(ended / 10);
      expect(kept + Number(lost) + Number(unfinished) - owed).toBeGreaterThanOrEqual(0);
      expect(kept + Number(lost) + Number(unfinished) - owed).toBeLessThanOrEqual(3);
      expect(kept + Number(lost)).toBeLessThanOrEqual(ended + 1);
      if (durability === 'strict') expect(kept).toBeGreaterThanOrEqual(ended);
      expect(await log.verify()).toMatchObject({ is_valid: true, total_records: records.length });
      known = records.length;
      await log.close();
      await log.database.close();
    }
  },
  120_000,
);
