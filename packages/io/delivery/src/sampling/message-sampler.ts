// Has an OpenAI-compatible endpoint answer sampling requests: a few at once, each with a time limit and a few tries.
// Its errors contain the origin of the URL and names of the configuration, and nothing of the requests.
import { toAbortSignal } from '@portico/async';
import { type JsonObject, parseJson, type SamplingProvider } from '@portico/contracts';
import type { SampleMessages } from '@portico/control-plane';
import { createEgress } from '@portico/egress';
import { bulkhead, ExponentialBackoff, handleWhenResult, isBulkheadRejectedError, retry } from 'cockatiel';
import { bearerOf, endpointOf } from '../endpoint.js';
import { dropBody, isWorthRepeating, refusedReason, send, type Unanswered } from '../post.js';
import { AddressError, loggableOrigin, type PostRequest, toPostRequest } from '../post-request.js';
import { createTimeLimit, stopped } from '../time-limit.js';
import { toMessageResult } from './chat-answer.js';
import { toChatRequest, UnaskableError } from './chat-request.js';

export interface MessageSamplerOptions {
  /** Where `apiKeyEnv` of a provider is looked up, at each request. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By default one with a guard of its own. */
  readonly fetch?: typeof fetch;
  /** First wait before a repeat, ms. */
  readonly initialDelayMs?: number;
  /** Limit of one try, ms: a model takes its time. */
  readonly timeoutMs?: number;
}

/** The provider gave no answer. */
export class SamplingProviderError extends Error {}

type Try =
  | { readonly kind: 'delivered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'refused'; readonly status: number }
  | Unanswered;

const maxTries = 3;
const maxConcurrent = 8;
const maxQueued = 1000;

/** At most 3 tries for each request, 8 requests at once and 1000 that wait. Rejects with SamplingProviderError. */
export function createMessageSampler({
  env,
  fetch = createEgress().fetch,
  initialDelayMs = 500,
  timeoutMs = 60_000,
}: MessageSamplerOptions): SampleMessages {
  const limited = createTimeLimit(timeoutMs);
  const places = bulkhead(maxConcurrent, maxQueued);
  // Its timers keep no process alive. The policy runs tries only, so that results are tries.
  const repeated = retry(
    handleWhenResult((tried) => isWorthRepeating(tried as Try)),
    { maxAttempts: maxTries - 1, backoff: new ExponentialBackoff({ initialDelay: initialDelayMs }) },
  ).dangerouslyUnref();

  return async (provider, params, given) => {
    const signal = toAbortSignal(given);
    const failure = (reason: string) => new SamplingProviderError(`${loggableOrigin(provider.url)}: ${reason}`);
    try {
      const request = toRequest(provider, params, env);
      const tryOnce = (): Promise<Try> =>
        signal.aborted ? Promise.resolve(stopped) : limited((limit) => ask(fetch, request, limit), signal);
      const tried = await places.execute(() => repeated.execute(tryOnce, signal));
      if (tried.kind !== 'delivered') throw failure(reasonOf(tried));
      const result = toMessageResult(tried.body, provider.model);
      if (result === undefined) throw failure('the answer is no chat completion');
      return result;
    } catch (error) {
      if (error instanceof UnaskableError || error instanceof AddressError) throw failure(error.message);
      if (isBulkheadRejectedError(error)) throw failure(`${maxQueued} requests are waiting already`);
      throw error;
    }
  };
}

async function ask(fetchOnce: typeof fetch, request: PostRequest, signal: AbortSignal): Promise<Try> {
  const response = await send(fetchOnce, request, signal);
  const { status } = response;
  if (response.ok) return { kind: 'delivered', status, body: parse(await response.text()) };
  dropBody(response);
  return { kind: 'refused', status };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function reasonOf(tried: Exclude<Try, { readonly kind: 'delivered' }>): string {
  return tried.kind === 'unanswered' ? tried.reason : refusedReason(tried.status);
}

/** @throws UnaskableError, AddressError */
function toRequest(
  provider: SamplingProvider,
  params: JsonObject,
  env: Readonly<Record<string, string | undefined>>,
): PostRequest {
  const body = new TextEncoder().encode(JSON.stringify(toChatRequest(provider, params)));
  const authorization = bearerOf(provider.apiKeyEnv, env);
  const url = endpointOf(provider.url, '/chat/completions');
  return toPostRequest({ url, authorization, headers: {}, noun: 'sampling provider' }, body);
}
