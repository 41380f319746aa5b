// Arguments that take long to pass over: each step that does so has a turn of the event loop of its own.
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, connectPlane, stopped, tool } from '../testing/start-plane.js';

const args = { text: 'x'.repeat(300_000) };

/** A plane that records each stage and what happened in it: its stages, and `other` for turns without one. */
async function start(onStage: (stage: string) => void = () => {}) {
  const done: string[] = [];
  const note = (what: string) => done.at(-1) !== what && done.push(what);
  const enter = (stage: string) => {
    note(stage);
    onStage(stage);
  };
  const stages = { enter, leave: () => {} };
  const servers = { s: { definitions: { tools: [tool('plain')] } } };
  const plane = await connectPlane(servers, {}, { ...createMemoryStores(stopped), stages });
  done.length = 0;
  const otherTurns = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      await plane.clock.sleep(0);
      note('other');
    }
  };
  const run = async (input: Partial<CallInput> = {}) => {
    void otherTurns();
    const calling = plane.outcome({ kind: 'tool', id: 's.plain', args, ...input });
    await plane.clock.advance(0);
    return (await calling).envelope;
  };
  return { ...plane, done, run };
}

describe('a call with huge arguments', () => {
  it('is checked, sent and recorded in turns of the loop of their own', async () => {
    const { run, done, audit } = await start();
    expect((await run()).ok).toBe(true);
    expect(done).toEqual([
      ...['other', 'compiling the input schema', 'other', 'sending the arguments'],
      ...['other', 'recording the arguments', 'other'],
    ]);
    expect((await audit.list({}, { limit: 1, offset: 0 })).events[0]).toMatchObject({ sanitized_args: args });
  });

  it('that is refused is recorded in a turn of its own as well', async () => {
    const { run, done } = await start();
    expect((await run({ id: 's.nothing' })).error?.code).toBe('TOOL_NOT_FOUND');
    expect(done).toEqual(['other', 'recording the arguments', 'other']);
  });

  it('is not sent once its caller has left', async () => {
    const caller = new AbortController();
    const { run, done, server } = await start((stage) => stage.startsWith('compiling') && caller.abort());
    expect((await run({ signal: caller.signal })).error?.code).toBe('OPERATION_CANCELLED');
    expect(done).not.toContain('sending the arguments');
    expect(server('s').requests()).toEqual([]);
  });
});
