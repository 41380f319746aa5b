// The SDK answers a request of a session with a stream, always. Where the first thing on it is the answer, nothing had to
// be streamed, and the answer leaves as JSON instead.
import { parseJson } from '@portico/contracts';

const streamType = 'text/event-stream';

/** The same answer as JSON where its stream begins with it, else the stream from its beginning. */
export async function preferJson(response: Response): Promise<Response> {
  const { body, headers, status } = response;
  if (body === null || !headers.get('content-type')?.startsWith(streamType)) return response;
  const reader = body.getReader();
  const { value: first, done } = await reader.read();
  const answer = first === undefined ? undefined : answerIn(first);
  if (answer === undefined) return new Response(resume(reader, done ? undefined : first), { status, headers });
  await reader.cancel();
  const plain = new Headers({ 'Content-Type': 'application/json' });
  const session = headers.get('mcp-session-id');
  if (session !== null) plain.set('mcp-session-id', session);
  return new Response(answer, { status, headers: plain });
}

/** The SDK writes one event at a time, its data on one line. A message with a method is no answer. */
function answerIn(event: Uint8Array): string | undefined {
  const [, data] = /^event: message\ndata: ([^\n]*)\n\n$/.exec(new TextDecoder().decode(event)) ?? [];
  return data === undefined || 'method' in parseJson(data) ? undefined : data;
}

function resume(reader: ReadableStreamDefaultReader<Uint8Array>, first: Uint8Array | undefined) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first !== undefined) controller.enqueue(first);
    },
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
