// The body of an answer as text, up to a size, so that an endpoint cannot fill this process's memory.

/** @throws Error when there is more */
export async function readLimited({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new BodyTooLarge(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export class BodyTooLarge extends Error {}
