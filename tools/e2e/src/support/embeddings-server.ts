// An OpenAI-compatible embeddings endpoint whose model knows a few words: those of one line mean the same.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanup } from './cleanup.js';

const meanings = [
  ['letter', 'message', 'mailbox', 'correspondence'],
  ['file', 'document', 'paper'],
  ['folder', 'directory'],
  ['weather', 'rain', 'forecast'],
];

export interface EmbeddingsServer {
  /** The base address. */
  readonly url: string;
  /** Texts of every request so far. */
  readonly asked: readonly (readonly string[])[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Takes no more requests. */
  kill(): Promise<void>;
}

export async function startEmbeddingsServer(): Promise<EmbeddingsServer> {
  const asked: (readonly string[])[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly input: readonly string[] };
    asked.push(input);
    headers.push(request.headers);
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data, model: 'fake' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kill = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  onCleanup(kill);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, headers, kill };
}

/** The last value is small and the same for every text, so that each has a direction. */
function vectorOf(text: string): readonly number[] {
  const lower = text.toLowerCase();
  return [...meanings.map((words) => words.filter((word) => lower.includes(word)).length), 0.1];
}
