// Puts secrets in the place of their URIs, for one attempt to connect. The configuration itself keeps the URIs.
// Messages name the scheme and the field, never a value and never the URI.
import { type AbortSignalLike, toAbortSignal } from '@portico/async';
import {
  type HttpServer,
  isSecretName,
  type LookUpSecret,
  type ServerConfig,
  type StdioServer,
  secretScheme,
  type UpstreamAuth,
} from '@portico/contracts';
import { messageOf, unreachable } from '../failures.js';
import { isPlainSetting, readEnvFile } from './env-file.js';

export interface Resolved {
  readonly transport: StdioServer | HttpServer;
  /**
   * Values that were looked up, are secret by the name of their field, or came from `envFile`; they must not be shown.
   */
  readonly secrets: readonly string[];
}

/** People keep secrets in such a file under any name, so what it holds is one unless it is plain. */
const fromFile = 'envFile.';

/** Fields of `auth` that go into links and logs by their nature. */
const publicFields = ['auth.clientId'];

/** @throws UpstreamFailure when a secret cannot be had */
export async function resolveSecrets(
  { transport }: ServerConfig,
  lookUp: LookUpSecret,
  signal: AbortSignalLike,
): Promise<Resolved> {
  const secrets: string[] = [];
  const resolveText = async (field: string, text: string): Promise<string> => {
    const scheme = secretScheme(text);
    if (scheme === undefined) {
      if (isSecretName(field) || (field.startsWith(fromFile) && !isPlainSetting(text))) secrets.push(text);
      return text;
    }
    const found = await lookUp(text, toAbortSignal(signal)).catch((error) => {
      if (signal.aborted) throw unreachable(`gave up connecting: ${messageOf(signal.reason)}`, false);
      throw error;
    });
    if (found.kind === 'missing') throw unreachable(`${field}: the ${scheme}:// secret ${found.reason}`, false);
    // The systems that take it would say so with the value in their message.
    if (found.value.includes('\0')) throw unreachable(`${field}: the ${scheme}:// secret holds a NUL character`, false);
    if (!publicFields.includes(field)) secrets.push(found.value);
    return found.value;
  };
  const resolveMap = async <T extends object>(field: string, map: T): Promise<T> => {
    const entries = Object.entries(map).map(async ([name, value]) => {
      const path = `${field}.${name}`;
      if (field === 'auth') refuseMisplaced(path, value);
      return [name, typeof value === 'string' ? await resolveText(path, value) : value] as const;
    });
    return Object.fromEntries(await Promise.all(entries)) as T; // the same keys, and text where there was text
  };

  if (transport.kind === 'stdio') {
    const [read, env] = await Promise.all([
      transport.envFile === undefined
        ? {}
        : readEnvFile(transport.envFile, signal).then((found) => resolveMap('envFile', found)),
      resolveMap('env', transport.env),
    ]);
    return { transport: { ...transport, env: { ...read, ...env } }, secrets };
  }
  const [headers, auth] = await Promise.all([
    resolveMap('headers', transport.headers),
    transport.auth === null ? null : resolveMap<UpstreamAuth>('auth', transport.auth),
  ]);
  return { transport: { ...transport, headers, auth }, secrets };
}

/** Fields that name an environment variable are no place for another kind of name. */
function refuseMisplaced(path: string, value: unknown): void {
  if (!path.endsWith('Env') || typeof value !== 'string') return;
  const scheme = secretScheme(value);
  if (scheme === undefined) return;
  const field = path.slice(0, -'Env'.length);
  throw unreachable(`${path} names an environment variable; the ${scheme}:// secret belongs into ${field}`, false);
}
