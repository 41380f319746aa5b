// Reads the body of a POST: bounded, UTF-8, JSON, not nested without end.
import { clientBounds, excessOf, type JsonValue, mayHoldExact, parseExact, parseJson } from '@portico/contracts';
import { refusedCode, rpcRefusal } from './replies.js';

export type ReadBody =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly refusal: Response };

const maxBodyBytes = 4 * 1024 * 1024;
const parseError = -32700;

export async function readBody(request: Request): Promise<ReadBody> {
  const [type] = (request.headers.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/json')
    return refuse(415, refusedCode, 'send Content-Type: application/json');
  const tooLarge = (headers?: Readonly<Record<string, string>>) =>
    refuse(413, refusedCode, `the body is larger than ${maxBodyBytes} bytes (a fixed limit)`, headers);
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) return tooLarge();
  const bytes = await readBytes(request).catch(() => undefined);
  if (bytes === undefined) return refuse(400, parseError, 'Parse error: the body ended early');
  // How much is left of it is not known, so nothing else can come on the connection.
  if (bytes === 'too large') return tooLarge({ Connection: 'close' });
  return parse(bytes);
}

function parse(bytes: Uint8Array): ReadBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const excess = excessOf(text, clientBounds);
    if (excess !== undefined) return refuse(400, parseError, `Parse error: ${excess}`);
    return { ok: true, value: mayHoldExact.test(text) ? parseExact(text) : parseJson(text) };
  } catch {
    return refuse(400, parseError, 'Parse error: the body is not valid JSON');
  }
}

async function readBytes({ body }: Request): Promise<Uint8Array | 'too large'> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > maxBodyBytes) return 'too large';
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function refuse(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ReadBody {
  return { ok: false, refusal: rpcRefusal({ status, code, message, headers }) };
}
