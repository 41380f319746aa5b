// The SDK answers a request of a session with a stream, always. Where the first thing on it is the answer, nothing had to
// be streamed, and the answer leaves as JSON instead.
import { isAnswer, messageIn } from './stream-response.js';

/** The answer as JSON, where the stream begins with it. @param first of the stream */
export function asJson(headers: Headers, first: Uint8Array | undefined): Response | undefined {
  const message = first === undefined ? undefined : messageIn(first);
  if (message === undefined || !isAnswer(message)) return undefined;
  const plain = new Headers({ 'Content-Type': 'application/json' });
  const session = headers.get('mcp-session-id');
  if (session !== null) plain.set('mcp-session-id', session);
  return new Response(message, { status: 200, headers: plain });
}
