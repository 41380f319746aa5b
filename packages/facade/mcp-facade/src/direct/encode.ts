// Answers as the SDK would write them, member by member: what the wire of an era adds to a result of `tools/call`.
import { exactJson, isJsonObject, type JsonObject, mayHoldExact, parseExact } from '@portico/contracts';
import type { Era } from '../calls/connection.js';
import { answerText, isFailure, type ToolAnswer } from '../server/call-tool.js';
import type { FacadeAnswer } from '../tools/facade-actions.js';
import type { RpcId } from './plain-call.js';

export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

const serverInfoKey = 'io.modelcontextprotocol/serverInfo';
const internalError = -32603;

type ResultAnswer = Extract<ToolAnswer, { readonly kind: 'result' }>;

/** The texts of one server's answers. */
export class AnswerTexts {
  readonly #info: ServerInfo;
  /** Members that `toModern` adds to a document. */
  readonly #modernMembers: string;

  constructor(info: ServerInfo) {
    this.#info = info;
    const added = { resultType: 'complete', _meta: { [serverInfoKey]: info } };
    this.#modernMembers = `,${JSON.stringify(added).slice(1, -1)}`;
  }

  textOf(id: RpcId, answer: ToolAnswer, era: Era): string {
    const result = answer.kind === 'document' ? this.#document(answer, era) : this.#result(answer, era);
    return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  }

  #result({ result, resultText }: ResultAnswer, era: Era): string {
    if (era === 'legacy') return resultText ?? JSON.stringify(result);
    const { resultType, _meta, capabilities } = result;
    const isPlain = resultType === undefined && _meta === undefined && capabilities === undefined;
    if (resultText === undefined || !isPlain) {
      const isExact = resultText !== undefined && mayHoldExact.test(resultText);
      return exactJson(toModern(isExact ? (parseExact(resultText) as JsonObject) : result, this.#info)); // its text
    }
    const members = this.#modernMembers;
    return `${resultText.slice(0, -1)}${Object.keys(result).length === 0 ? members.slice(1) : members}}`;
  }

  /** As `#result` of `toFacadeResult`, but the document is made JSON once. */
  #document(answer: FacadeAnswer, era: Era): string {
    const text = answerText(answer);
    const error = isFailure(answer.document) ? ',"isError":true' : '';
    const ofEra = era === 'legacy' ? '' : this.#modernMembers;
    return `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}${error}${ofEra}}`;
  }
}

/** MCP 2026-07-28: every result says its type and who it is from, and capabilities have no tasks of 2025-11-25. */
function toModern(result: JsonObject, info: ServerInfo): JsonObject {
  const { capabilities, _meta: meta } = result;
  const sent: Record<string, JsonObject[string]> = { ...result };
  if (isJsonObject(capabilities) && 'tasks' in capabilities) {
    const { tasks: _, ...rest } = capabilities;
    sent.capabilities = rest;
  }
  if (sent.resultType === undefined) sent.resultType = 'complete';
  if (meta === undefined) sent._meta = { [serverInfoKey]: { ...info } };
  else if (isJsonObject(meta) && meta[serverInfoKey] === undefined)
    sent._meta = { ...meta, [serverInfoKey]: { ...info } };
  return sent;
}

export interface RpcFailure {
  readonly code: number;
  readonly text: string;
}

export function failureText(id: RpcId, error: unknown): RpcFailure {
  const { code: given, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
  const thrown = Number.isSafeInteger(given) ? (given as number) : internalError; // looked at just now
  const code = thrown === -32002 ? -32602 : thrown; // no client is to see the code of 2025-11-25 for a missing resource
  const details = { code, message: message ?? 'Internal error', ...(data === undefined ? {} : { data }) };
  return { code, text: JSON.stringify({ jsonrpc: '2.0', id, error: details }) };
}
