// Levels of log messages, as a client sets its threshold.
import { expect, test } from 'vitest';
import { isAtLeast, isLogLevel, isQuestion } from './mcp.js';

test('levels are those of RFC 5424, and an unknown one passes every threshold', () => {
  expect([isLogLevel('debug'), isLogLevel('fatal'), isLogLevel(3)]).toEqual([true, false, false]);
  expect([isAtLeast('error', 'warning'), isAtLeast('info', 'warning'), isAtLeast('warning', 'warning')]).toEqual([
    true,
    false,
    true,
  ]);
  expect([isAtLeast('fatal', 'emergency'), isAtLeast(undefined, 'emergency')]).toEqual([true, true]);
});

test('a question is a result that says so', () => {
  expect([
    isQuestion({ resultType: 'input_required' }),
    isQuestion({ resultType: 'complete' }),
    isQuestion(null),
  ]).toEqual([true, false, false]);
});
