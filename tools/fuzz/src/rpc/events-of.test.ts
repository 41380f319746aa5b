// Event streams of MCP sessions, as the judge reads them.
import { expect, it } from 'vitest';
import { eventsOf } from './events-of.js';

it.each([
  ['an answer', 'event: message\nid: a-1\ndata: {"id":1}\n\n', [{ id: 1 }]],
  [
    'an event without data in front',
    'id: a-0\nretry: 1000\ndata: \n\ndata: {"id":1}\n\ndata:[2]\n\n',
    [{ id: 1 }, [2]],
  ],
  ['a comment', ': keepalive\n\n', []],
  ['blanks', 'data:   \n\n', undefined],
  ['text that is no JSON', 'data: {"id":1}\n\ndata: {\n\n', undefined],
])('reads %s', (_, text, messages) => {
  expect(eventsOf(text)).toEqual(messages);
});
