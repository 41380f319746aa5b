// HTTP requests that carry an OAuth token. A 401 is answered with a renewed token or with the login that is needed, a
// 403 for insufficient scope with the login for more scope. The sender of a request sees none of this.
import { discard } from '../http-body.js';
import type { HttpClient, HttpExchange, HttpRequest, HttpResponse, ResponseHandler } from '../http-client.js';
import { lacksScope } from './challenge.js';
import type { ServerAuth } from './server-auth.js';

/** A stored token may be refused, and the one it is renewed to; a third is not tried without a person. */
const maxRenewals = 2;

/** Closing it closes the client it is given. */
export function createAuthorizedClient(client: HttpClient, auth: ServerAuth): HttpClient {
  let stopUsing: (() => void) | undefined;
  /** Requests that wait for a token, and are not with the client yet. */
  const waiting = new Set<HttpExchange>();
  const onAccepted = () => {
    auth.accepted();
    stopUsing ??= auth.use();
  };

  const send = (request: HttpRequest, handler: ResponseHandler): HttpExchange => {
    let current: HttpExchange | undefined;
    let isAborted = false;
    const exchange: HttpExchange = {
      abort() {
        isAborted = true;
        current?.abort();
      },
    };

    const attempt = (token: string | undefined, renewals: number): void => {
      current = client.send(token === undefined ? request : withToken(request, token), {
        onFailure: handler.onFailure,
        onResponse(response) {
          if (wantsLogin(response, token)) return repeat(response, token, renewals);
          if (token !== undefined && lacksScope(response)) return stepUp(response);
          if (token !== undefined && response.status < 300) onAccepted();
          handler.onResponse(response);
        },
      });
      if (isAborted) current.abort();
    };

    /** Sends the request once more, with another token. Fails with HttpFailure where a person has to log in. */
    const repeat = (response: HttpResponse, refused: string | undefined, renewals: number) => {
      const renewal = renewals < maxRenewals ? auth.renew(refused, response) : auth.refuse(response);
      waitFor(renewal).then((token) => {
        if (token === null) return handler.onResponse(response); // still unread
        discard(response);
        attempt(token, renewals + 1);
      }, giveUp(response));
    };

    const waitFor = <T>(token: Promise<T>): Promise<T> => {
      waiting.add(exchange);
      return token.finally(() => waiting.delete(exchange));
    };

    const stepUp = (response: HttpResponse) => void auth.stepUp(response).catch(giveUp(response));

    /** Gives the socket of a response back that will not be read. */
    const giveUp = (response: HttpResponse) => (failure: Error) => {
      discard(response);
      handler.onFailure(failure);
    };

    const token = auth.token();
    // Without a renewal in between the request leaves at once, and in the order it was given.
    if (token instanceof Promise) waitFor(token).then((renewed) => attempt(renewed, 0), handler.onFailure);
    else attempt(token, 0);
    return exchange;
  };

  return {
    send,
    abortAll() {
      for (const exchange of waiting) exchange.abort();
      client.abortAll();
    },
    close() {
      stopUsing?.();
      client.close();
    },
  };
}

const wantsLogin = (response: HttpResponse, token: string | undefined): boolean =>
  response.status === 401 || (token === undefined && lacksScope(response));

const withToken = (request: HttpRequest, token: string): HttpRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
});
