// The schedule of faults: the same for the same seed, within the time, for every server and every fault.
import { expect, it } from 'vitest';
import { faultNames, planFaults } from './chaos.js';

const servers = ['a', 'b', 'c'];

it('is the same for the same seed, and another for another', () => {
  expect(planFaults(7, servers, 60_000)).toEqual(planFaults(7, servers, 60_000));
  expect(planFaults(8, servers, 60_000)).not.toEqual(planFaults(7, servers, 60_000));
});

it('has every fault at every server in ten minutes, and nothing after them', () => {
  const faults = planFaults(7, servers, 600_000);
  const seen = new Set(faults.map(({ server, fault }) => `${server} ${fault}`));
  expect(seen.size).toBe(servers.length * faultNames.length);
  expect(faults.every(({ atMs }) => atMs < 600_000)).toBe(true);
});
