// Whether the answers of a caller have the shape that their questions ask for (MCP, client features). Checked before a
// server gets them, while the questions can still be answered correctly. Answers without a question are ignored.
import { isJsonObject, type JsonObject, type JsonValue, joinPath } from '@portico/contracts';
import type { ServerRequestMethod } from '@portico/upstream-pool';
import { CallFailure } from '../call/call.js';
import type { Questions } from './pending-questions.js';

/** @throws CallFailure INVALID_ARGS naming the key and the path */
export function checkAnswers(questions: Questions, responses: JsonObject | undefined): void {
  for (const [key, { method }] of questions) {
    const answer = responses?.[key];
    if (answer === undefined) continue; // it is asked again
    const path = ['input_responses', key];
    const expected = isJsonObject(answer) ? shapes[method](answer) : { at: [], what: 'an object, the bare result' };
    if (expected === undefined) continue;
    const message = `${joinPath([...path, ...expected.at])}: expected ${expected.what} as the answer to ${method}; the call waits on`;
    throw new CallFailure('INVALID_ARGS', message);
  }
}

interface Expected {
  readonly at: readonly string[];
  readonly what: string;
}

const shapes: Readonly<Record<ServerRequestMethod, (answer: JsonObject) => Expected | undefined>> = {
  'elicitation/create'({ action, content }) {
    if (!isOneOf(action, ['accept', 'decline', 'cancel'])) {
      return { at: ['action'], what: '"accept", "decline" or "cancel"' };
    }
    return content === undefined || isJsonObject(content) ? undefined : { at: ['content'], what: 'an object' };
  },
  'sampling/createMessage'({ role, content, model }) {
    if (!isOneOf(role, ['user', 'assistant'])) return { at: ['role'], what: '"user" or "assistant"' };
    const blocks = Array.isArray(content) ? content : [content];
    if (!blocks.every(isBlock)) return { at: ['content'], what: 'content with a "type", or an array of such' };
    return typeof model === 'string' ? undefined : { at: ['model'], what: 'a string' };
  },
  'roots/list'({ roots }) {
    const isList = Array.isArray(roots) && roots.every((root) => isJsonObject(root) && typeof root.uri === 'string');
    return isList ? undefined : { at: ['roots'], what: 'an array of objects with a "uri"' };
  },
};

function isBlock(block: JsonValue | undefined): boolean {
  return isJsonObject(block) && typeof block.type === 'string';
}

function isOneOf(value: JsonValue | undefined, known: readonly string[]): boolean {
  return typeof value === 'string' && known.includes(value);
}
