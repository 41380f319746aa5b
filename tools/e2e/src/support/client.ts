// A small HTTP client that sends exactly the given headers, Host included, and reads JSON.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface Reply<T = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined if there is none or it is no JSON. */
  readonly body: T;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Closes the connection: the client goes away. */
  readonly signal?: AbortSignal;
}

/** Sends one request over a connection of its own. The caller says what the body should be; nothing checks it here. */
export function send<T>(
  url: string,
  { method = 'GET', headers = {}, body, signal }: RequestOptions = {},
): Promise<Reply<T>> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = {
      method,
      headers: { ...length, ...headers },
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    };
    const outgoing = httpRequest(url, sent, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) as T });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
