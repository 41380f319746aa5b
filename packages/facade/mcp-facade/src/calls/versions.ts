// The refusal of a protocol version names all that are served: the SDK names those of the era that it refused it in.
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** MCP 2026-07-28, basic, error codes. */
const unsupportedVersion = -32022;
const modern = '2026-07-28';

export const servedVersions: readonly string[] = [
  ...new Set([modern, ...SUPPORTED_PROTOCOL_VERSIONS]), // those of sessions
];

/** A JSON-RPC message, with all versions where it is such a refusal. */
export function namingAllVersions<T extends object>(message: T): T {
  const { error } = message as { readonly error?: { readonly code?: unknown; readonly data?: object } };
  if (error?.code !== unsupportedVersion) return message;
  return { ...message, error: { ...error, data: { ...error.data, supported: servedVersions } } };
}

/** The same of an answer over HTTP. */
export async function answerNamingAllVersions(response: Response): Promise<Response> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (response.status !== 400 || !isJson) return response;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  const message = (await response.json()) as object; // the SDK's own refusals are objects
  return new Response(JSON.stringify(namingAllVersions(message)), { status: response.status, headers });
}
