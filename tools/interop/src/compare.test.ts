import { describe, expect, it } from 'vitest';
import { compare } from './compare.js';
import type { StepResult } from './run-client.js';

const came = (result: unknown): StepResult => ({ kind: 'result', result });
const failed = (message: string): StepResult => ({ kind: 'error', message });
const cannot = (reason: string, result?: unknown): StepResult => ({ kind: 'lacks', reason, result });

describe('what a client received from both', () => {
  it('is the same in another order of definitions, without what the rules put aside', () => {
    const direct = came({ list: [{ name: 'b' }, { name: 'a', _meta: { 'io.modelcontextprotocol/serverInfo': {} } }] });
    const portico = came({ list: [{ name: 'a' }, { name: 'b' }], ttlMs: 5 });
    expect(compare('list', direct, portico)).toEqual({ kind: 'same' });
  });

  it('differs in anything else, the order of other lists included', () => {
    const cell = compare('call', came({ content: [1, 2], _meta: { own: 1 } }), came({ content: [2, 1], _meta: {} }));
    const [direct, portico] = ['{"content":[1,2],"_meta":{"own":1}}', '{"content":[2,1]}'];
    expect(cell).toEqual({ kind: 'differs', direct, portico });
  });

  it('is an error that both have, or a difference', () => {
    const message = 'it fails with the server itself too, with `no`';
    expect(compare('roots', failed('no'), failed('no'))).toEqual({ kind: 'lacks', reason: message });
    expect(compare('roots', came(1), failed('no'))).toMatchObject({ kind: 'differs', portico: 'an error: no' });
    expect(compare('roots', failed('no'), came(1))).toMatchObject({ kind: 'differs', direct: 'an error: no' });
  });

  it('says that a client has connected again after a restart', () => {
    expect(compare('restart', came({ text: 'a' }), came({ text: 'a', afterConnectingAgain: true }))).toEqual({
      kind: 'again',
    });
    expect(compare('restart', came({ text: 'a' }), came({ text: 'b', afterConnectingAgain: true }))).toMatchObject({
      kind: 'differs',
    });
  });

  it('is a refusal by both where the client cannot be asked', () => {
    const reason = 'it answers no roots';
    expect(compare('roots', cannot(reason, 'refused'), cannot(reason, 'refused'))).toEqual({ kind: 'lacks', reason });
    expect(compare('roots', cannot(reason, 'refused'), cannot(reason, { content: [] }))).toEqual({
      kind: 'differs',
      direct: 'it answers no roots, and the call ended with "refused"',
      portico: 'it answers no roots, and the call ended with {"content":[]}',
    });
  });
});
