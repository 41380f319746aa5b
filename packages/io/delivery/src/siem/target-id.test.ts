// Ids are keys of durable cursors: that they change would send the whole log again.
import { expect, it } from 'vitest';
import { identifyTargets } from './target-id.js';
import { splunkAt, webhookTo } from './testing/start-streams.js';

const idOf = (...targets: Parameters<typeof identifyTargets>[0]) => identifyTargets(targets).map(({ id }) => id);

it('stays as it is', () => {
  expect(idOf(webhookTo('https://siem.test'), splunkAt('https://splunk.test', { index: 'audit' }))).toEqual([
    'webhook-17b9ffc85582',
    'splunk_hec-6dbdd53af29e',
  ]);
});

it('does not change with credentials and headers', () => {
  const ids = new Set([
    ...idOf(webhookTo('https://siem.test')),
    ...idOf(webhookTo('https://siem.test', { authHeader: 'Bearer a', headers: { 'X-Key': 'a' } })),
    ...idOf(webhookTo('https://ann:secret@siem.test')),
  ]);
  expect(ids.size).toBe(1);
  expect(idOf(splunkAt('https://splunk.test', { token: 'a' }))).toEqual(idOf(splunkAt('https://splunk.test')));
});

it.each([
  [webhookTo('https://a.test'), webhookTo('https://b.test')],
  [webhookTo('', { url: 'https://a.test/?tenant=a' }), webhookTo('', { url: 'https://a.test/?tenant=b' })],
  [splunkAt('https://a.test'), splunkAt('https://a.test', { index: 'audit' })],
  [splunkAt('https://a.test', { index: 'audit' }), splunkAt('https://a.test', { source: 'audit' })],
  [splunkAt('https://a.test'), webhookTo('', { url: 'https://a.test/' })],
])('differs where the target does', (one, other) => {
  expect(idOf(one)).not.toEqual(idOf(other));
});

it('numbers targets that differ by their credentials only', () => {
  const [first, second] = idOf(splunkAt('https://a.test'), splunkAt('https://a.test', { token: 'other' }));
  expect(second).toBe(`${first}-2`);
});
