import { expect, it } from 'vitest';
import { CallSource } from '../call/call-source.js';
import { caller, correlation } from '../testing/start-plane.js';
import { createCallHistories, maxPrincipals, maxScopes } from './call-histories.js';

const inTrace = (traceId: string) => ({ requestId: null, traceId });
const inWorkItem = (id: string) => ({ ...correlation, context: { work_item_id: id } });
const rules = { identical: 2, withinSecs: 60, alternating: true };
const inSession = () => ({ ...caller, source: new CallSource({ channel: 'mcp-http' }) });

it('keeps sessions, work items and principals apart, in whichever trace they are', () => {
  const histories = createCallHistories();
  const [first, second] = [inSession(), inSession()];
  const of = [
    histories.of(first, inTrace('1')),
    histories.of(second, inTrace('1')),
    histories.of(first, inWorkItem('x')),
    histories.of(caller, inTrace('1')),
    histories.of({ ...caller, principal: 'ada' }, inTrace('1')),
  ].map(({ history }) => history);
  expect(new Set(of).size).toBe(of.length);
  expect(histories.of(first, inTrace('2'))).toEqual({ history: of[0] });
  expect(histories.of(second, inWorkItem('x'))).toEqual({ history: of[2] });
});

it('compares the first runs of traces with each other, and later ones within their trace', () => {
  const histories = createCallHistories();
  const { history, also } = histories.of(caller, inTrace('1'));
  expect(histories.of(caller, inTrace('1'))).toEqual({ history, also }); // nothing has run in it
  also?.note('a', '1', 0, rules);
  expect(histories.of(caller, inTrace('1')).history).toBe(also);
  expect(histories.of(caller, inTrace('2')).history).toBe(history);
});

it('forgets the work item and the principal that were unused for longest', () => {
  const histories = createCallHistories();
  const of = (id: string) => histories.of(caller, inWorkItem(id)).history;
  const [kept, forgotten] = [of('kept'), of('forgotten')];
  for (let at = 0; at < maxScopes - 1; at += 1) {
    expect(of('kept')).toBe(kept);
    of(`${at}`);
  }
  expect(of('forgotten')).not.toBe(forgotten);
  for (let at = 0; at < maxPrincipals; at += 1) histories.of({ ...caller, principal: `${at}` }, correlation);
  expect(of('kept')).not.toBe(kept);
});
