// `fetch` for the SDK's OAuth functions, over a client with a guard: which hosts are asked is up to documents that other
// people wrote.
import { HttpFailure, messageOf, placeOf } from '../failures.js';
import { textOf } from '../http-body.js';
import { awaitResponse, type HttpClient, type HttpRequest } from '../http-client.js';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A host that cannot be asked. `fetch` fails with TypeErrors, by which the SDK recognizes network faults. */
export class FetchFailed extends TypeError {}

const maxBytes = 1024 * 1024;
const timeoutMs = 10_000;

export function createGuardedFetch(client: HttpClient): Fetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    const request = { ...toRequest(init), url };
    const { exchange, response: answered } = awaitResponse((handler) => client.send(request, handler));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      exchange.abort();
    }, timeoutMs);
    try {
      const response = await answered;
      const text = await textOf(response, placeOf(url), maxBytes);
      const { status } = response;
      const type = response.header('content-type');
      return new Response([204, 205, 304].includes(status) ? null : text, {
        status,
        headers: type === undefined ? {} : { 'content-type': type },
      });
    } catch (error) {
      const reason = isLate ? `no answer from ${placeOf(url)} within ${timeoutMs} ms` : messageOf(error);
      throw error instanceof HttpFailure ? new FetchFailed(reason, { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  };
}

function toRequest({ method = 'GET', headers, body }: RequestInit): Omit<HttpRequest, 'url'> {
  if (method !== 'GET' && method !== 'POST') throw new Error(`OAuth has no use for ${method} requests`);
  const sent = Object.fromEntries(new Headers(headers));
  return body === undefined || body === null
    ? { method, headers: sent }
    : { method, headers: sent, body: String(body) }; // text, or URLSearchParams
}
