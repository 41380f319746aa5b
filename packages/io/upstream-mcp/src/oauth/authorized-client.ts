// HTTP requests that carry an OAuth token: a 401 is answered with a renewed token or the login that is needed, a 403
// for want of scope with the login for more. Whoever sends requests does not see any of it.
import type { IncomingMessage } from 'node:http';
import { discard } from '../http-body.js';
import type { HttpClient, HttpExchange, HttpRequest } from '../http-client.js';
import { lacksScope } from './challenge.js';
import type { ServerAuth } from './server-auth.js';

interface Answered {
  readonly token: string | undefined;
  readonly response: IncomingMessage;
}

type Attempt = (token: string | undefined) => Promise<Answered>;

/** A stored token may be refused, and the one it is renewed to; a third is not tried without a person. */
const maxRenewals = 2;

/** Closing it closes the client it is given. */
export function createAuthorizedClient(client: HttpClient, auth: ServerAuth): HttpClient {
  let stopUsing: (() => void) | undefined;
  const onAccepted = () => {
    auth.accepted();
    stopUsing ??= auth.use();
  };
  return {
    send(request) {
      let current: HttpExchange | undefined;
      let isAborted = false;
      const attempt: Attempt = async (token) => {
        current = client.send(token === undefined ? request : withToken(request, token));
        if (isAborted) current.abort();
        return { token, response: await current.response };
      };
      const token = auth.token();
      // Without a renewal in between the request leaves at once, and in the order it was given.
      const first = token instanceof Promise ? token.then(attempt) : attempt(token);
      const response = first.then((answered) => settle(auth, attempt, answered, onAccepted));
      response.catch(() => {}); // an aborted exchange may have nobody left who waits for it
      return {
        response,
        abort() {
          isAborted = true;
          current?.abort();
        },
      };
    },
    close() {
      stopUsing?.();
      client.close();
    },
  };
}

/** The response that the sender gets. @throws HttpFailure where a person has to log in */
async function settle(
  auth: ServerAuth,
  attempt: Attempt,
  first: Answered,
  onAccepted: () => void,
): Promise<IncomingMessage> {
  let { token, response } = first;
  for (let renewals = 0; wantsLogin(response, token); renewals += 1) {
    const renewed = await orDiscard(
      response,
      renewals < maxRenewals ? auth.renew(token, response) : auth.refuse(response),
    );
    if (renewed === null) return response; // as unread as it came, for whoever makes a failure of it
    discard(response);
    ({ token, response } = await attempt(renewed));
  }
  if (token !== undefined && lacksScope(response)) return orDiscard(response, auth.stepUp(response));
  if (token !== undefined && (response.statusCode ?? 0) < 300) onAccepted();
  return response;
}

const wantsLogin = (response: IncomingMessage, token: string | undefined): boolean =>
  response.statusCode === 401 || (token === undefined && lacksScope(response));

/** Gives the socket of a response back that nobody will read. */
async function orDiscard<T>(response: IncomingMessage, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    discard(response);
    throw error;
  });
}

const withToken = (request: HttpRequest, token: string): HttpRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
});
