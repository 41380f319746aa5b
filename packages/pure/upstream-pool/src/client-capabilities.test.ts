// Requests that a client can answer, by its declared capabilities.
import { expect, it } from 'vitest';
import { canAnswer, withinDeclared } from './client-capabilities.js';

const form = { method: 'elicitation/create', params: {} } as const;
const url = { method: 'elicitation/create', params: { mode: 'url' } } as const;
const sample = { method: 'sampling/createMessage', params: {} } as const;
const roots = { method: 'roots/list', params: {} } as const;

it.each([
  [{}, []],
  [{ elicitation: {} }, [form]],
  [{ elicitation: { form: {} } }, [form]],
  [{ elicitation: { url: {} } }, [url]],
  [{ elicitation: { form: {}, url: {} } }, [form, url]],
  [{ sampling: {}, roots: { listChanged: true } }, [sample, roots]],
])('%j can be asked what it names', (capabilities, answerable) => {
  expect([form, url, sample, roots].filter((question) => canAnswer(capabilities, question))).toEqual(answerable);
});

const all = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {}, extensions: { x: {} } };

it.each([
  [all, { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }, all],
  [all, {}, { extensions: { x: {} } }],
  [all, { sampling: {} }, { sampling: { tools: {} }, extensions: { x: {} } }],
  [all, { elicitation: { url: {} }, roots: {} }, { elicitation: { url: {} }, roots: {}, extensions: { x: {} } }],
  [{ elicitation: {} }, { elicitation: { form: {} } }, { elicitation: { form: {} } }],
  [{ elicitation: {} }, { elicitation: { url: {} } }, {}],
])('%j within %j is %j', (capabilities, declared, left) => {
  expect(withinDeclared(capabilities, declared)).toEqual(left);
});
