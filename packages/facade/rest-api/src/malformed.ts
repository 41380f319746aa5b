// The answer to data that never became a request: bytes that are no HTTP, a Host that is no host. The listener sends
// it.
import { errorEnvelope, nothingSent } from '@portico/contracts';

/** JSON of an ErrorEnvelope with INVALID_ARGS. */
export function malformedRequestBody(message: string, randomHex: (characters: number) => string): string {
  const correlation = { requestId: null, traceId: randomHex(32) };
  return JSON.stringify(errorEnvelope(correlation, nothingSent, { code: 'INVALID_ARGS', message }));
}
