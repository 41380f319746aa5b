// Answers that are no results: JSON-RPC errors under an HTTP status.
import type { JsonValue } from '@portico/contracts';

export interface RpcRefusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: JsonValue | undefined;
  readonly data?: JsonValue;
}

/** For errors without a code in MCP (JSON-RPC 2.0, section 5.1: implementation-defined server errors). */
export const refusedCode = -32000;

export function rpcRefusal({ status, code, message, headers = {}, id = null, data }: RpcRefusal): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  return new Response(body, { status, headers: { 'Content-Type': 'application/json', ...headers } });
}
