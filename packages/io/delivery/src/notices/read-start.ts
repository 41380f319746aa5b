// The start of an answer, for people: a service that answers without an end fills no memory.
import { visibleJson } from '@portico/policy-engine';

const maxBytes = 4096;

/** @param most characters of what it gives, on one line with hidden characters escaped */
export async function readStart({ body }: Response, most: number): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.byteLength;
    if (size >= maxBytes) break;
  }
  const text = Buffer.concat(chunks).toString('utf8').trim();
  return visibleJson(text).slice(1, -1).replaceAll('\\"', '"').slice(0, most);
}
