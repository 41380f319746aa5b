// Judges what the MCP faces send: JSON-RPC 2.0 messages, results that fit the tool's own output schema, and no defects.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ListedTool } from './frames.js';

export interface RpcMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

export interface RpcJudge {
  /** Problems of a message by itself. */
  problemsOf(message: unknown): readonly string[];
  /** Problems of the result of a call of a tool. */
  problemsOfCall(toolName: string | undefined, message: RpcMessage): readonly string[];
}

export function createRpcJudge(tools: readonly ListedTool[]): RpcJudge {
  const ajv = new Ajv2020({ strict: false });
  const outputs = new Map<string, ValidateFunction>();
  for (const { name, outputSchema } of tools)
    if (outputSchema !== undefined) outputs.set(name, ajv.compile(outputSchema));
  return {
    problemsOf,
    problemsOfCall(toolName, { result }) {
      if (typeof result !== 'object' || result === null || !('content' in result)) return [];
      const { isError, structuredContent } = result as { isError?: boolean; structuredContent?: unknown };
      const validate = toolName === undefined ? undefined : outputs.get(toolName);
      if (validate === undefined || isError === true || validate(structuredContent)) return [];
      const [first] = validate.errors ?? [];
      return [`the result of ${toolName} does not fit its output schema: ${first?.instancePath} ${first?.message}`];
    },
  };
}

function problemsOf(message: unknown): readonly string[] {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return ['a message that is no object'];
  const { jsonrpc, id, method, result, error } = message as RpcMessage;
  if (jsonrpc !== '2.0') return [`a message of JSON-RPC ${JSON.stringify(jsonrpc)}`];
  if (method !== undefined) return typeof method === 'string' ? [] : ['a method that is no text'];
  if ((result === undefined) === (error === undefined)) return ['an answer needs a result or an error, and not both'];
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    return [`an answer with the id ${JSON.stringify(id)}`];
  return error === undefined ? problemsOfResult(result) : problemsOfError(error);
}

function problemsOfError({ code, message, data }: NonNullable<RpcMessage['error']>): readonly string[] {
  if (!Number.isInteger(code) || typeof message !== 'string') return [`an error ${JSON.stringify({ code, message })}`];
  const inner = typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined;
  const isDefect = /the log has the details/i.test(message) || inner === 'INTERNAL_ERROR';
  return isDefect ? [`a defect: ${message}`] : [];
}

function problemsOfResult(result: unknown): readonly string[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return ['a result that is no object'];
  const { structuredContent } = result as { structuredContent?: { error?: { code?: string; message?: string } } };
  const { error } = structuredContent ?? {};
  return error?.code === 'INTERNAL_ERROR' ? [`a defect: ${error.message}`] : [];
}
