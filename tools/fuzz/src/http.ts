// One HTTP request as it is written, and a curl command that sends it again.
import { request as httpRequest } from 'node:http';
import type { Answer } from './documented.js';

export interface HttpCase {
  readonly method: string;
  /** Path and query, as they are on the wire. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** No answer within the time that any answer may take. */
export class Hang extends Error {
  override readonly name = 'Hang';
}

/** The caller went away: an answer that would not end was left. */
const goneAway = new Error('enough was read');

/**
 * Sends exactly that, over a connection of its own. A stream is left once its head is there.
 * @throws Hang
 */
export function sendCase(
  origin: string,
  { method, target, headers, body }: HttpCase,
  limitMs: number,
): Promise<Answer & { readonly headers: Readonly<Record<string, unknown>> }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = httpRequest(
      { hostname, port, method, path: target, agent: false, headers: { ...length, ...headers } },
      (response) => {
        const contentType = (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
        const chunks: Buffer[] = [];
        const finish = () => {
          clearTimeout(timer);
          const { statusCode: status = 0, headers: received } = response;
          resolve({
            status,
            contentType,
            allow: received.allow,
            text: Buffer.concat(chunks).toString('utf8'),
            headers: received,
          });
        };
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', finish);
        response.on('error', (error) => {
          if (error !== goneAway) reject(error);
        });
        if (contentType === 'text/event-stream' && isEndless(method, target)) {
          finish();
          outgoing.on('error', () => {}).destroy(goneAway);
        }
      },
    );
    const timer = setTimeout(() => {
      reject(new Hang(`no answer within ${limitMs} ms`));
      outgoing.destroy();
    }, limitMs);
    outgoing.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(body);
  });
}

const isEndless = (method: string, target: string) => method === 'GET' && !target.startsWith('/v1/audit');

/** For bash: text that is not plain goes into `$'…'`. */
export function toCurl(origin: string, { method, target, headers, body }: HttpCase): string {
  const head = method === 'HEAD' ? ['--head'] : ['-X', quote(method)];
  const parts = ['curl', '-sS', '-i', '--path-as-is', '--globoff', ...head, quote(`${origin}${target}`)];
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`, 'latin1'));
  if (body !== undefined) parts.push('--data-binary', quote(body));
  return parts.join(' ');
}

function quote(text: string, encoding: 'latin1' | 'utf8' = 'utf8'): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = (byte: number) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`;
  return `$'${[...Buffer.from(text, encoding)].map(escaped).join('')}'`;
}
