// Has an OpenAI-compatible endpoint turn text into vectors: a few texts at once, each request with a time limit and a
// few tries. Its errors contain the origin of the URL and names of the configuration, and nothing of the texts.

import { createHash } from 'node:crypto';
import { toAbortSignal } from '@portico/async';
import { type OpenAiEmbeddings, parseJson } from '@portico/contracts';
import type { Embedder } from '@portico/control-plane';
import { createEgress } from '@portico/egress';
import { ExponentialBackoff, handleWhenResult, retry } from 'cockatiel';
import { bearerOf, endpointOf } from '../endpoint.js';
import { dropBody, isWorthRepeating, refusedReason, send, type Unanswered } from '../post.js';
import { AddressError, loggableOrigin, type PostRequest, toPostRequest } from '../post-request.js';
import { createTimeLimit, stopped } from '../time-limit.js';
import { inBatches, shortened } from './batches.js';
import { EmbeddingAnswerError, toVectors } from './embedding-answer.js';
import { BodyTooLarge, readLimited } from './read-limited.js';

export interface OpenAiEmbedderOptions {
  /** Where `apiKeyEnv` is looked up, at each request. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By default one with a guard of its own. */
  readonly fetch?: typeof fetch | undefined;
  /** First wait before a repeat, ms. */
  readonly initialDelayMs?: number;
  /** Limit of one try, ms. */
  readonly timeoutMs?: number;
  /** Maximum size of one answer. */
  readonly maxAnswerBytes?: number;
}

/** There are no vectors. */
export class EmbedderError extends Error {}

type Try =
  | { readonly kind: 'delivered'; readonly status: number; readonly body: string }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'too large'; readonly reason: string }
  | Unanswered;

const maxTries = 3;

/** Statuses by which endpoints say that a request is too long, or that something is wrong with one of its texts. */
const tooMuchStatuses: ReadonlySet<number> = new Set([400, 413, 422]);

/** Rejects with EmbedderError, or the reason of the signal. */
export function createOpenAiEmbedder(
  config: OpenAiEmbeddings,
  { env, fetch = createEgress().fetch, initialDelayMs = 500, timeoutMs = 30_000, ...limits }: OpenAiEmbedderOptions,
): Embedder {
  const { maxAnswerBytes = 64 * 1024 * 1024 } = limits;
  const limited = createTimeLimit(timeoutMs);
  // Its timers keep no process alive. The policy runs tries only, so that results are tries.
  const repeated = retry(
    handleWhenResult((tried) => isWorthwhile(tried as Try)),
    { maxAttempts: maxTries - 1, backoff: new ExponentialBackoff({ initialDelay: initialDelayMs }) },
  ).dangerouslyUnref();
  let { dimensions } = config; // without any, those of the first answer hold for all

  const ask = async (texts: readonly string[], signal: AbortSignal): Promise<Try> => {
    const request = toRequest(config, texts, env);
    const tryOnce = (): Promise<Try> =>
      signal.aborted
        ? Promise.resolve(stopped)
        : limited((limit) => post(fetch, request, maxAnswerBytes, limit), signal);
    return repeated.execute(tryOnce, signal);
  };

  /** Where the endpoint refuses, a half at a time; where it refuses a single text, less of it. */
  const embedBatch = async (texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> => {
    const tried = await ask(texts, signal);
    if (tried.kind === 'delivered') {
      const vectors = toVectors(parse(tried.body), texts.length, dimensions);
      dimensions ??= vectors[0]?.length ?? null;
      return vectors;
    }
    if (tried.kind === 'refused' && tooMuchStatuses.has(tried.status)) {
      const middle = Math.ceil(texts.length / 2);
      if (texts.length > 1) {
        const first = await embedBatch(texts.slice(0, middle), signal);
        return [...first, ...(await embedBatch(texts.slice(middle), signal))];
      }
      const less = texts.flatMap((text) => shortened(text) ?? []);
      if (less.length > 0) return embedBatch(less, signal);
    }
    throw new EmbedderError(tried.kind === 'refused' ? refusedReason(tried.status) : tried.reason);
  };

  return {
    id: modelId(config),
    async embed(texts, given) {
      const signal = toAbortSignal(given);
      try {
        const vectors: Float32Array[] = [];
        for (const batch of inBatches(texts)) vectors.push(...(await embedBatch(batch, signal)));
        return vectors;
      } catch (error) {
        signal.throwIfAborted();
        if (!isOwn(error)) throw error;
        throw new EmbedderError(`${loggableOrigin(config.url)}: ${error.message}`);
      }
    },
  };
}

function isOwn(error: unknown): error is Error {
  return error instanceof EmbedderError || error instanceof EmbeddingAnswerError || error instanceof AddressError;
}

function isWorthwhile(tried: Try): boolean {
  return tried.kind !== 'too large' && isWorthRepeating(tried);
}

/** The place is part of the id, hashed: one name may mean different models at different places. */
function modelId({ url, model, dimensions }: OpenAiEmbeddings): string {
  const { origin, pathname } = new URL(endpointOf(url, path));
  const place = createHash('sha256').update(`${origin}${pathname}`).digest('hex').slice(0, 12);
  return ['openai', model, ...(dimensions === null ? [] : [dimensions]), place].join(' ');
}

const path = '/embeddings';

/** @throws AddressError */
function toRequest(
  { url, model, apiKeyEnv, dimensions }: OpenAiEmbeddings,
  input: readonly string[],
  env: OpenAiEmbedderOptions['env'],
): PostRequest {
  const asked = { model, input, encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) };
  const body = new TextEncoder().encode(JSON.stringify(asked));
  const authorization = bearerOf(apiKeyEnv, env);
  return toPostRequest({ url: endpointOf(url, path), authorization, headers: {}, noun: 'embeddings provider' }, body);
}

async function post(
  fetchOnce: typeof fetch,
  request: PostRequest,
  maxAnswerBytes: number,
  signal: AbortSignal,
): Promise<Try> {
  const response = await send(fetchOnce, request, signal);
  const { status } = response;
  if (!response.ok) {
    dropBody(response);
    return { kind: 'refused', status };
  }
  try {
    return { kind: 'delivered', status, body: await readLimited(response, maxAnswerBytes) };
  } catch (error) {
    if (error instanceof BodyTooLarge) return { kind: 'too large', reason: error.message };
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
