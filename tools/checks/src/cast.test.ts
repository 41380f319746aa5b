import { expect, test } from 'vitest';
import { readCast, type Scene, unpainted, writeCast } from './cast.js';

const size = { width: 80, height: 24 };
const scenes: readonly Scene[] = [
  {
    title: 'call: it',
    terminal: 'the first terminal',
    command: "portico call a.b 'c:=[1]'",
    frames: [{ isOther: false, lines: ['\u001b[0;1mdone\u001b[0m', '', 'in 2 ms'] }],
  },
  {
    title: 'watch',
    terminal: 'a second terminal',
    command: 'portico top',
    frames: [
      { isOther: true, lines: ['one', '', 'two'] },
      { isOther: true, lines: ['three'] },
    ],
  },
  { title: 'nothing', terminal: 'a second terminal', command: 'true', frames: [] },
];

test('what was written is read back', () => {
  const text = writeCast(scenes, size, 'a title');
  expect(readCast(text)).toEqual(scenes);
  expect(writeCast(readCast(text), size, 'a title')).toBe(text);
});

test('it is an asciicast: a header, and events in the order of their times', () => {
  const [header, ...events] = writeCast(scenes, size, 'a title')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(header).toMatchObject({ version: 2, width: 80, height: 24, title: 'a title' });
  expect(events.every((event) => event.length === 3 && typeof event[0] === 'number')).toBe(true);
  expect(events.filter(([, kind]) => kind === 'm').map(([, , title]) => title)).toEqual([
    'call: it',
    'watch',
    'nothing',
  ]);
  const times: readonly number[] = events.map(([seconds]) => seconds);
  expect(times.every((at, index) => at >= (times[index - 1] ?? 0))).toBe(true);
  const output = events.map(([, , data]) => data).join('');
  expect(output.split('\u001b[?1049h')).toHaveLength(output.split('\u001b[?1049l').length);
});

test('a scene without a command is refused by its title', () => {
  const text = '{"version":2}\n[0,"m","broken"]\n[0,"o","hello"]\n';
  expect(() => readCast(text)).toThrow('scene "broken" has no command');
});

test('paint is taken off', () => {
  expect(unpainted('\u001b[0;1;31mred\u001b[0m text')).toBe('red text');
});
