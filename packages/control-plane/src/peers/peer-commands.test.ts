// Requests between daemons: only to live ones, with the failures of the work itself.
import { errorEnvelope, type JsonObject, nothingSent, PorticoError, unknownOutcome } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { CallFailure } from '../call/call.js';
import { correlation } from '../testing/start-plane.js';
import { createPeerCommands, type LocalWork, servePeerCommands } from './peer-commands.js';
import { noPeers, type Peers, PeerUnresponsive } from './peers.js';

const caller = { principal: 'ann', profile: null, role: null, actor: null };

/** The peers of a daemon, each with the work that it does; null for one that is silent. */
function peersOf(works: Readonly<Record<string, Partial<LocalWork> | null>>) {
  const log: string[] = [];
  const serving = new Map<string, (command: JsonObject) => Promise<JsonObject>>();
  for (const [id, work] of Object.entries(works)) {
    if (work === null) continue;
    const peers: Peers = {
      ...noPeers,
      serve(does) {
        serving.set(id, does);
        return () => serving.delete(id);
      },
    };
    servePeerCommands(peers, work as LocalWork, (_level, message) => log.push(message)); // what it lacks is not asked
  }
  const peers: Peers = {
    ...noPeers,
    others: async () => Object.keys(works),
    async ask(id, command) {
      const answer = await serving.get(id)?.(JSON.parse(JSON.stringify(command)) as JsonObject);
      if (answer === undefined) throw new PeerUnresponsive('it has ended');
      return JSON.parse(JSON.stringify(answer)) as JsonObject;
    },
  };
  return { peerCommands: createPeerCommands(peers, (_level, message) => log.push(message)), log };
}

describe('a cancel', () => {
  it('is asked of all, and says whether there was anything at any', async () => {
    const asked: string[] = [];
    const cancelling = (id: string, found: boolean): Partial<LocalWork> => ({
      async cancel(principal, requestId) {
        asked.push(`${id} ${principal} ${requestId}`);
        return found;
      },
    });
    const none = peersOf({ a: cancelling('a', false), b: cancelling('b', false) });
    expect(await none.peerCommands.cancel('ann', 'r')).toBe(false);
    const one = peersOf({ c: cancelling('c', true), d: null });
    expect(await one.peerCommands.cancel('ann', 'r')).toBe(true);
    expect(asked).toEqual(['a ann r', 'b ann r', 'c ann r']);
  });

  it('does not say that there was nothing where one is silent', async () => {
    const { peerCommands, log } = peersOf({ a: { cancel: async () => false }, b: null });
    await expect(peerCommands.cancel('ann', 'r')).rejects.toThrow(
      'a daemon that may have it does not answer (it has ended); try again',
    );
    expect(log).toEqual(['a daemon did not say whether it cancelled anything']);
  });

  it('of a daemon that is alone asks no other', async () => {
    expect(await createPeerCommands(noPeers, () => {}).cancel('ann', 'r')).toBe(false);
  });
});

describe('a task of another daemon', () => {
  it('is refused with all that the refusal says there', async () => {
    const rpcError = { code: -32001, message: 'no', data: [1] };
    const refusal = new CallFailure('UPSTREAM_ERROR', 'it says no', unknownOutcome, { retryable: true, rpcError });
    const denial = new PorticoError('POLICY_DENIED', 'policy denies it');
    const { peerCommands } = peersOf({
      a: { respondToTask: () => Promise.reject(refusal), cancelTask: () => Promise.reject(denial) },
    });
    const refused = await peerCommands.respondToTask('a', caller, 't', {}).catch((error: unknown) => error);
    expect(refused).toEqual(refusal);
    expect(errorEnvelope(correlation, unknownOutcome, refused as CallFailure)).toEqual(
      errorEnvelope(correlation, unknownOutcome, refusal),
    );
    const denied = { code: 'POLICY_DENIED', message: 'policy denies it', retry: nothingSent, retryable: false };
    await expect(peerCommands.cancelTask('a', caller, 't')).rejects.toMatchObject(denied);
  });

  it('fails here where what comes is no failure', async () => {
    const ask = async () => ({ failure: { code: 'NO_SUCH_CODE', message: 'm' } });
    const peerCommands = createPeerCommands({ ...noPeers, ask }, () => {});
    await expect(peerCommands.cancelTask('a', caller, 't')).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('another daemon answered what is no failure'),
    });
  });

  it('is answered and cancelled there, for the caller that asks', async () => {
    const given: unknown[] = [];
    const { peerCommands } = peersOf({
      a: {
        async cancelTask(...all) {
          given.push(all);
          return { kind: 'unknown' };
        },
        async respondToTask(...all) {
          given.push(all);
          return { kind: 'unknown' };
        },
      },
    });
    expect(await peerCommands.cancelTask('a', caller, 'task-1')).toEqual({ kind: 'unknown' });
    expect(await peerCommands.respondToTask('a', caller, 'task-1', { q: { action: 'accept' } })).toEqual({
      kind: 'unknown',
    });
    expect(given).toEqual([
      [caller, 'task-1'],
      [caller, 'task-1', { q: { action: 'accept' } }],
    ]);
  });

  it('fails as it fails there', async () => {
    const { peerCommands, log } = peersOf({
      a: {
        respondToTask: () => Promise.reject(new CallFailure('INVALID_ARGS', 'input_responses: no such question')),
        cancelTask: () => Promise.reject(new Error('a defect')),
      },
    });
    await expect(peerCommands.respondToTask('a', caller, 't', {})).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      message: 'input_responses: no such question',
    });
    await expect(peerCommands.cancelTask('a', caller, 't')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(log).toEqual(['what another daemon asked for failed']);
  });
});
