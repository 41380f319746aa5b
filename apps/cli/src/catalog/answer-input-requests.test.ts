import { expect, it } from 'vitest';
import { answerInputRequests } from './answer-input-requests.js';

/** A person who types these lines. */
function person(...lines: readonly string[]) {
  const left = [...lines];
  const said: string[] = [];
  const ask = async () => left.shift() ?? '';
  return { ask, say: (text: string) => void said.push(text), said };
}

const form = (properties: object, required: readonly string[] = []) => ({
  q: {
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: { type: 'object', properties, required } },
  },
});

it('asks for every field, in its type, until it can be used', async () => {
  const { ask, say, said } = person('', 'Ann', 'many', '3', 'perhaps', 'yes', 'blue', 'red', '');
  const properties = {
    name: { type: 'string' },
    age: { type: 'integer' },
    adult: { type: 'boolean' },
    color: { type: 'string', enum: ['red', 'green'] },
    note: { type: 'string' },
  };
  const answers = await answerInputRequests(form(properties, ['name']) as never, ask, say);
  expect(answers).toEqual({ q: { action: 'accept', content: { name: 'Ann', age: 3, adult: true, color: 'red' } } });
  expect(said).toContain('this has to be answered');
});

it('takes defaults, and lets a person refuse', async () => {
  const properties = { city: { type: 'string', default: 'Rome' } };
  const first = person('');
  expect(await answerInputRequests(form(properties) as never, first.ask, first.say)).toEqual({
    q: { action: 'accept', content: { city: 'Rome' } },
  });
  const second = person(':decline');
  expect(await answerInputRequests(form(properties) as never, second.ask, second.say)).toEqual({
    q: { action: 'decline' },
  });
});

it('asks again where a list is no JSON, and shows defaults as they are', async () => {
  const asked: string[] = [];
  const { ask, say, said } = person('Ann', '["red", ', '["red"]');
  const properties = { name: { type: 'string' }, colors: { type: 'array', default: ['a', 'b'] } };
  const put = (question: string) => {
    asked.push(question);
    return ask();
  };
  expect(await answerInputRequests(form(properties) as never, put, say)).toEqual({
    q: { action: 'accept', content: { name: 'Ann', colors: ['red'] } },
  });
  expect(said).toContain('"["red"," is no array');
  expect(asked.at(-1)).toBe('colors [["a","b"]]: ');
});

it('answers for a model, and names roots', async () => {
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hello?' } }];
  const requests = { s: { method: 'sampling/createMessage', params: { messages } }, r: { method: 'roots/list' } };
  const { ask, say, said } = person('Hi.', ' file:///a  file:///b ');
  expect(await answerInputRequests(requests as never, ask, say)).toEqual({
    s: { role: 'assistant', content: { type: 'text', text: 'Hi.' }, model: 'human', stopReason: 'endTurn' },
    r: { roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] },
  });
  expect(said).toContain('user: Hello?');
});
