// Tests requests for vectors to an OpenAI-compatible endpoint on a real socket, and how answers are read.
import type { JsonObject, OpenAiEmbeddings } from '@portico/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { createCountingFetch } from '../testing/counting-fetch.js';
import { type Answer, answerWith, createJsonEndpoints } from '../testing/json-endpoint.js';
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from './openai-embedder.js';

const endpoints = createJsonEndpoints();
afterEach(() => endpoints.closeAll());

const textsIn = ({ input }: JsonObject) => input as readonly string[]; // what the embedder sends
const vectorOf = (text: string) => [text.length, 1];

/** Answers as the API does: a vector for each text. */
const embed: Answer = (response, _nth, body) => {
  const data = textsIn(body).map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
  response.end(JSON.stringify({ object: 'list', data, model: body.model }));
};
const embedding = (...values: readonly unknown[]) => ({ data: [{ index: 0, embedding: values }] });

function create(url: string, more: Partial<OpenAiEmbeddings> = {}, options: Partial<OpenAiEmbedderOptions> = {}) {
  const config: OpenAiEmbeddings = { provider: 'openai', url, model: 'm', apiKeyEnv: null, dimensions: null, ...more };
  const embedder = createOpenAiEmbedder(config, { env: { KEY: 'sk-1' }, initialDelayMs: 1, ...options });
  const { signal } = new AbortController();
  return { ...embedder, embed: (texts: readonly string[], until = signal) => embedder.embed(texts, until) };
}

describe('what an endpoint is asked', () => {
  it('is the vectors of a few texts, with the key', async () => {
    const { origin, received } = await endpoints.start(embed);
    const embedder = create(`${origin}/v1/?version=2`, { apiKeyEnv: 'KEY', dimensions: 2 });
    expect(await embedder.embed(['one', 'three'])).toEqual([Float32Array.of(3, 1), Float32Array.of(5, 1)]);
    expect(received.map(({ url, headers, body }) => [url, headers.authorization, body])).toEqual([
      [
        '/v1/embeddings?version=2',
        'Bearer sk-1',
        { model: 'm', input: ['one', 'three'], encoding_format: 'float', dimensions: 2 },
      ],
    ]);
  });

  it('is split into requests of a bearable size, and long texts are cut', async () => {
    const { origin, received } = await endpoints.start(embed);
    const texts = [...Array.from({ length: 70 }, (_, at) => 'x'.repeat(at + 1)), '🙂'.repeat(5000), ''];
    const vectors = await create(origin).embed(texts);
    expect(vectors.map(([length]) => length)).toEqual([...Array.from({ length: 70 }, (_, at) => at + 1), 8000, 1]);
    expect(received.map(({ body }) => textsIn(body).length)).toEqual([64, 8]);
    expect(received[0]?.headers.authorization).toBeUndefined();
  });

  it('is less where it is refused as too much: fewer texts, then shorter ones', async () => {
    const { origin, received } = await endpoints.start((response, nth, body) => {
      const isTooMuch = textsIn(body).length > 2 || textsIn(body).some((text) => text.length > 600);
      return isTooMuch ? answerWith('too long', 400)(response, nth, body) : embed(response, nth, body);
    });
    const vectors = await create(origin).embed(['a', 'bb', 'c'.repeat(2000), 'dddd']);
    expect(vectors.map(([length]) => length)).toEqual([1, 2, 500, 4]);
    expect(received.map(({ body }) => textsIn(body).map(({ length }) => length))).toEqual([
      [1, 2, 2000, 4],
      [1, 2],
      [2000, 4],
      [2000],
      [1000],
      [500],
      [4],
    ]);
  });

  it('is nothing without its key', async () => {
    const { origin, received } = await endpoints.start(embed);
    const reason = 'environment variable NOKEY, which holds the key, is unset or empty';
    await expect(create(origin, { apiKeyEnv: 'NOKEY' }).embed(['a'])).rejects.toThrow(`${origin}: ${reason}`);
    expect(received).toEqual([]);
  });
});

describe('what an endpoint answers', () => {
  it('may come in any order', async () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    const { origin } = await endpoints.start(answerWith({ data }));
    expect(await create(origin).embed(['a', 'b'])).toEqual([Float32Array.of(1), Float32Array.of(2)]);
  });

  it.each<[string, unknown, string]>([
    ['is not JSON', 'oops', 'the answer has no list of embeddings'],
    ['has no embeddings', { data: 1 }, 'the answer has no list of embeddings'],
    ['has too few', { data: [] }, 'the answer has 0 embeddings for 1 texts'],
    ['has an empty one', embedding(), 'an embedding is no list'],
    ['has one in base64', { data: [{ embedding: 'AAAA' }] }, 'an embedding is no list'],
    ['has words in one', embedding('sk-1'), 'an embedding holds something else than numbers'],
    ['has a number out of range', '{"data":[{"embedding":[1e39]}]}', 'an embedding holds a number out of range'],
    ['numbers them wrongly', { data: [{ index: 1, embedding: [1] }] }, 'the answer numbers its embeddings wrongly'],
  ])('is unusable when it %s', async (_what, body, reason) => {
    const { origin } = await endpoints.start(answerWith(body));
    await expect(create(origin).embed(['a'])).rejects.toThrow(`${origin}: ${reason}`);
  });

  it('has the dimensions that are configured, else those of the first answer', async () => {
    const { origin } = await endpoints.start((response, nth, body) =>
      answerWith(nth === 1 ? embedding(1, 2) : embedding(1))(response, nth, body),
    );
    const configured = create(origin, { dimensions: 3 });
    await expect(configured.embed(['a'])).rejects.toThrow('an embedding of 2 dimensions instead of 3');
    const { origin: other } = await endpoints.start((response, nth, body) =>
      answerWith(nth === 1 ? embedding(1, 2) : embedding(1))(response, nth, body),
    );
    const embedder = create(other);
    await embedder.embed(['a']);
    await expect(embedder.embed(['b'])).rejects.toThrow('an embedding of 1 dimensions instead of 2');
  });

  it.each([429, 500])('is asked for again after %i', async (status) => {
    const { origin, received } = await endpoints.start((response, nth, body) =>
      nth < 3 ? answerWith('busy', status)(response, nth, body) : embed(response, nth, body),
    );
    expect(await create(origin).embed(['a'])).toEqual([Float32Array.of(1, 1)]);
    expect(received).toHaveLength(3);
  });

  it.each<[number, number, string]>([
    [401, 1, 'answered with status 401'],
    [302, 1, 'answered with status 302; redirects are not followed'],
    [400, 1, 'answered with status 400'],
    [503, 3, 'answered with status 503'],
  ])('with status %i is given up after %i tries', async (status, tries, reason) => {
    const { origin, received } = await endpoints.start(answerWith('sk-1 is wrong', status));
    await expect(create(origin).embed(['a'])).rejects.toThrow(`${origin}: ${reason}`);
    expect(received).toHaveLength(tries);
  });

  it('is not waited for longer than the limit of a try', async () => {
    const { origin } = await endpoints.start(() => {});
    const { fetch, tries } = createCountingFetch();
    const slow = create(origin, {}, { timeoutMs: 20, fetch });
    await expect(slow.embed(['a'])).rejects.toThrow(`${origin}: no answer within 20 ms`);
    expect(tries()).toBe(3);
  });

  it('is not waited for after its request was cancelled', async () => {
    const control = new AbortController();
    const { origin, received } = await endpoints.start(() => control.abort(new Error('enough')));
    await expect(create(origin).embed(['a'], control.signal)).rejects.toThrow('enough');
    expect(received).toHaveLength(1);
  });

  it('is not read beyond its limit', async () => {
    const { origin, received } = await endpoints.start(answerWith(`[${'1,'.repeat(5000)}1]`));
    const small = create(origin, {}, { maxAnswerBytes: 1000 });
    await expect(small.embed(['a'])).rejects.toThrow(`${origin}: the answer is longer than 1000 bytes`);
    expect(received).toHaveLength(1);
  });

  it('is not there when no server listens', async () => {
    const origin = 'http://127.0.0.1:2'; // no system assigns this port for port 0
    await expect(create(origin).embed(['a'])).rejects.toThrow(`${origin}: the request failed with ECONNREFUSED`);
  });
});

describe('the id of a model', () => {
  it('depends on everything that its vectors depend on, and holds no secret', () => {
    const ids = [
      create('http://u:p@127.0.0.1:1/v1?key=sk-1').id,
      create('http://127.0.0.1:2/v1').id,
      create('http://127.0.0.1:1/v1', { model: 'n' }).id,
      create('http://127.0.0.1:1/v1', { dimensions: 8 }).id,
    ];
    expect(new Set(ids).size).toBe(4);
    expect(ids.join()).not.toMatch(/sk-1|u:p/);
    expect(create('http://127.0.0.1:1/v1/embeddings').id).toBe(ids[0]);
  });
});
