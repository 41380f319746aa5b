// Tests requests to an OpenAI-compatible endpoint on a real socket, and how answers are read.
import type { JsonObject, SamplingProvider } from '@portico/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createCountingFetch } from '../testing/counting-fetch.js';
import { answerWith, createJsonEndpoints } from '../testing/json-endpoint.js';
import { createMessageSampler, type MessageSamplerOptions } from './message-sampler.js';

const endpoints = createJsonEndpoints();
const startEndpoint = endpoints.start;
afterEach(() => endpoints.closeAll());

const completion = {
  model: 'small-2026',
  choices: [{ message: { role: 'assistant', content: 'four' }, finish_reason: 'stop' }],
};

const text = (role: string, value: string) => ({ role, content: { type: 'text', text: value } });
const params: JsonObject = { messages: [text('user', 'how many?')] };

function sample(
  url: string,
  { asked = params, signal = new AbortController().signal, ...options }: SampleOptions = {},
  more: Partial<SamplingProvider> = {},
) {
  const sampler = createMessageSampler({ env: { KEY: 'sk-1' }, initialDelayMs: 1, ...options });
  return sampler({ url, model: 'small', apiKeyEnv: null, maxTokens: null, ...more }, asked, signal);
}

interface SampleOptions extends Partial<MessageSamplerOptions> {
  readonly asked?: JsonObject;
  readonly signal?: AbortSignal;
}

describe('what a provider is asked', () => {
  it('is what was asked for, as chat messages', async () => {
    const { origin, received } = await startEndpoint(answerWith(completion));
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    const asked = {
      systemPrompt: 'be brief',
      messages: [
        text('user', 'one'),
        text('assistant', 'two'),
        { role: 'user', content: [{ type: 'text', text: 'and this?' }, image] },
        { role: 'user', content: image },
        { role: 'user', content: 'plain' },
      ],
      maxTokens: 100,
      temperature: 0.5,
      stopSequences: ['END'],
      includeContext: 'none',
    };
    await sample(`${origin}/v1/`, { asked }, { apiKeyEnv: 'KEY' });
    const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    expect(received.map(({ url, headers, body }) => [url, headers.authorization, body])).toEqual([
      [
        '/v1/chat/completions',
        'Bearer sk-1',
        {
          model: 'small',
          messages: [
            { role: 'system', content: 'be brief' },
            { role: 'user', content: 'one' },
            { role: 'assistant', content: 'two' },
            { role: 'user', content: [{ type: 'text', text: 'and this?' }, part] },
            { role: 'user', content: [part] },
            { role: 'user', content: 'plain' },
          ],
          max_tokens: 100,
          temperature: 0.5,
          stop: ['END'],
        },
      ],
    ]);
  });

  it.each<[string, string, string]>([
    ['a base address', '/v1', '/v1/chat/completions'],
    ['the address itself', '/v1/chat/completions', '/v1/chat/completions'],
    ['an address with a query', '/v1?version=2', '/v1/chat/completions?version=2'],
  ])('goes to %s without a key where the configuration names none', async (_what, path, expected) => {
    const { origin, received } = await startEndpoint(answerWith(completion));
    await sample(`${origin}${path}`);
    expect(received.map(({ url, headers }) => [url, headers.authorization])).toEqual([[expected, undefined]]);
  });

  it.each<[number | undefined, number | null, number | undefined]>([
    [100, 50, 50],
    [50, 100, 50],
    [undefined, 100, 100],
    [undefined, null, undefined],
  ])('has for %s tokens and at most %s a limit of %s', async (maxTokens, most, expected) => {
    const { origin, received } = await startEndpoint(answerWith(completion));
    await sample(origin, { asked: { ...params, maxTokens } }, { maxTokens: most });
    expect(received[0]?.body.max_tokens).toBe(expected);
  });

  it.each<[string, JsonObject, string]>([
    ['tools', { ...params, tools: [{ name: 't' }] }, 'it asks for the use of tools'],
    ['no messages', {}, 'it has no messages'],
    ['a role of its own', { messages: [text('system', 's3cret')] }, 'a message has no role that MCP knows'],
    [
      'a sound',
      { messages: [{ role: 'user', content: { type: 'audio', data: 's3cret', mimeType: 'audio/wav' } }] },
      'a message holds something else than text and images',
    ],
  ])('is nothing that has %s', async (_what, asked, reason) => {
    const { origin, received } = await startEndpoint(answerWith(completion));
    await expect(sample(origin, { asked })).rejects.toThrow(`${origin}: ${reason}`);
    expect(received).toEqual([]);
  });

  it('is nothing without its key', async () => {
    const { origin, received } = await startEndpoint(answerWith(completion));
    const reason = 'environment variable NOKEY, which holds the key, is unset or empty';
    await expect(sample(origin, {}, { apiKeyEnv: 'NOKEY' })).rejects.toThrow(`${origin}: ${reason}`);
    expect(received).toEqual([]);
  });
});

describe('what a provider answers', () => {
  it.each<[string, object, object]>([
    ['is a message', completion, { model: 'small-2026', stopReason: 'endTurn' }],
    [
      'may be cut off',
      { choices: [{ message: { content: 'four' }, finish_reason: 'length' }] },
      { model: 'small', stopReason: 'maxTokens' },
    ],
    [
      'may come in parts',
      { choices: [{ message: { content: [{ type: 'text', text: 'fo' }, { text: 'ur' }] } }] },
      { model: 'small' },
    ],
  ])('%s', async (_what, body, rest) => {
    const { origin } = await startEndpoint(answerWith(body));
    expect(await sample(origin)).toEqual({ role: 'assistant', content: { type: 'text', text: 'four' }, ...rest });
  });

  it.each<[string, unknown]>([
    ['is not JSON', 'oops'],
    ['has no choices', { choices: [] }],
    ['has no text', { choices: [{ message: { content: null, tool_calls: [] } }] }],
  ])('is unusable when it %s', async (_what, body) => {
    const { origin } = await startEndpoint(answerWith(body));
    await expect(sample(origin)).rejects.toThrow(`${origin}: the answer is no chat completion`);
  });

  it('is asked for again when it was busy', async () => {
    const { origin, received } = await startEndpoint((response, nth, body) =>
      answerWith(nth < 3 ? 'busy' : completion, nth < 3 ? 429 : 200)(response, nth, body),
    );
    expect(await sample(origin)).toMatchObject({ content: { text: 'four' } });
    expect(received).toHaveLength(3);
  });

  it.each([
    [401, 1],
    [302, 1],
    [503, 3],
  ])('with status %i is given up after %i tries', async (status, tries) => {
    const { origin, received } = await startEndpoint(answerWith('no', status));
    await expect(sample(origin)).rejects.toThrow(`${origin}: answered with status ${status}`);
    expect(received).toHaveLength(tries);
  });

  it('is not waited for longer than the limit of a try', async () => {
    const { origin } = await startEndpoint(() => {});
    const { fetch, tries } = createCountingFetch();
    await expect(sample(origin, { timeoutMs: 20, fetch })).rejects.toThrow(`${origin}: no answer within 20 ms`);
    expect(tries()).toBe(3);
  });

  it('is not waited for after the request was cancelled', async () => {
    const control = new AbortController();
    const { origin, received } = await startEndpoint(() => control.abort());
    await expect(sample(origin, { signal: control.signal })).rejects.toThrow();
    expect(received).toHaveLength(1);
  });
});
