// How often a refusal is counted that comes again while the log has not answered yet, and where the log cannot be written.
import { expect, it } from 'vitest';
import { correlation } from '../testing/start-plane.js';
import { AuditUnavailable, type OpenAction } from './audit-log.js';
import { createMemoryAuditLog } from './memory-audit-log.js';
import { createRefusedAccess, type RefusedRequest } from './refused-access.js';

const request: RefusedRequest = { correlation, method: 'GET', path: '/v1/x', httpStatus: 401, reason: 'no token' };
const epochMs = () => 1_000_000;
const full = new AuditUnavailable('the disk is full');

/** Over a log in memory: each action waits for `answer`, which fails where the log cannot be written at that step. */
function setUp() {
  const log = createMemoryAuditLog({ capacity: 100, epochMs });
  const answers: ((fails?: 'begin' | 'end') => void)[] = [];
  const begin = () =>
    new Promise<OpenAction>((resolve, reject) => {
      answers.push((fails) => {
        const end =
          fails === 'end'
            ? () => Promise.reject(full)
            : async (draft?: Parameters<typeof log.append>[0]) => draft && log.append(draft);
        return fails === 'begin' ? reject(full) : resolve({ end });
      });
    });
  const clock = { epochMs, now: epochMs, after: () => () => {}, sleep: async () => {} };
  const redactText = (text: string) => text;
  const access = createRefusedAccess({ audit: { ...log, begin }, clock, log: () => {}, redactText });
  const repeats = () => log.kept().map(({ details }) => details?.repeated ?? 0);
  return { access, answers, repeats };
}

it('counts repeats that come before the log has answered', async () => {
  const { access, answers, repeats } = setUp();
  const added = [1, 2, 3].map(() => access.add(request));
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await Promise.all(added);
  await access.close();
  expect(repeats()).toEqual([0, 2]);
});

it.each(['begin', 'end'] as const)('records the next one where the first one was lost at its %s', async (step) => {
  const { access, answers, repeats } = setUp();
  const lost = access.add(request);
  answers[0]?.(step);
  await expect(lost).rejects.toThrow(full);
  const next = access.add(request);
  answers[1]?.();
  await next;
  await access.close();
  expect(repeats()).toEqual([0]);
});

it('records the repeats of one that was lost', async () => {
  const { access, answers, repeats } = setUp();
  const [lost, ...others] = [1, 2, 3].map(() => access.add(request));
  answers[0]?.('begin');
  await expect(lost).rejects.toThrow(full);
  await Promise.all(others);
  await access.close();
  expect(repeats()).toEqual([2]);
});
