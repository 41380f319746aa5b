// The answers that are valid for each kind of question.
import type { JsonObject } from '@portico/contracts';
import type { ServerRequest } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { checkAnswers } from './check-answers.js';

const questions = new Map<string, ServerRequest>([
  ['form', { method: 'elicitation/create', params: {} }],
  ['model', { method: 'sampling/createMessage', params: {} }],
  ['roots', { method: 'roots/list', params: {} }],
]);
const text = { type: 'text', text: 'hello' };

it.each<[JsonObject]>([
  [{}],
  [{ other: 1 }],
  [{ form: { action: 'accept', content: { name: 'Ann' } } }],
  [{ form: { action: 'accept' } }],
  [{ form: { action: 'decline' } }],
  [{ form: { action: 'cancel', _meta: {} } }],
  [{ model: { role: 'assistant', content: text, model: 'm', stopReason: 'endTurn' } }],
  [{ model: { role: 'assistant', content: [text, text], model: 'm' } }],
  [{ roots: { roots: [] } }],
  [{ roots: { roots: [{ uri: 'file:///srv', name: 'srv' }] } }],
])('takes %j', (responses) => {
  expect(() => checkAnswers(questions, responses)).not.toThrow();
});

it.each<[JsonObject, string]>([
  [{ form: 'yes' }, 'input_responses.form: expected an object, the bare result'],
  [{ form: null }, 'input_responses.form: expected an object'],
  [{ form: {} }, 'input_responses.form.action: expected "accept", "decline" or "cancel"'],
  [{ form: { action: 'ok' } }, 'input_responses.form.action'],
  [{ form: { action: 'accept', content: 'Ann' } }, 'input_responses.form.content: expected an object'],
  [{ model: { content: text, model: 'm' } }, 'input_responses.model.role: expected "user" or "assistant"'],
  [{ model: { role: 'assistant', content: 'hello', model: 'm' } }, 'input_responses.model.content'],
  [{ model: { role: 'assistant', content: [text, 'x'], model: 'm' } }, 'input_responses.model.content'],
  [{ model: { role: 'assistant', content: text } }, 'input_responses.model.model: expected a string'],
  [{ roots: { roots: {} } }, 'input_responses.roots.roots: expected an array of objects with a "uri"'],
  [{ roots: { roots: [{ name: 'srv' }] } }, 'input_responses.roots.roots'],
])('refuses %j, naming what is wrong', (responses, message) => {
  expect(() => checkAnswers(questions, responses)).toThrow(message);
});
