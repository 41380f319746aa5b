import { expect, test } from 'vitest';
import { countRepeats } from './log-lines.js';

const line = (timestamp: string, text: string) => ({ timestamp, text });

test('equal lines that follow each other are one, with the time of the last', () => {
  const lines = [line('1', 'no token'), line('2', 'no token'), line('3', 'bye'), line('4', 'no token')];
  expect(countRepeats(lines)).toEqual([
    { timestamp: '2', text: 'no token', count: 2, key: '0 1' },
    { timestamp: '3', text: 'bye', count: 1, key: '2 3' },
    { timestamp: '4', text: 'no token', count: 1, key: '3 4' },
  ]);
});

test('what a server writes at each of its starts is counted as one group', () => {
  const start = (at: string) => [line(`${at}0`, 'no token'), line(`${at}1`, '[portico] degraded')];
  expect(countRepeats([...start('1'), ...start('2'), ...start('3'), line('40', 'bye')])).toEqual([
    { timestamp: '30', text: 'no token', count: 3, key: '0 10' },
    { timestamp: '31', text: '[portico] degraded', count: 3, key: '1 11' },
    { timestamp: '40', text: 'bye', count: 1, key: '6 40' },
  ]);
});
