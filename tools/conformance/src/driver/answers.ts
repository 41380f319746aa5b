// The person at an interactive call: accepts every form as it is, with its defaults, until the call is complete.
import type { Answer, Plane } from './plane.js';

const maxRounds = 5;

/** The interim answer of a call that waits for its caller. */
interface Interim {
  readonly resultType: 'input_required';
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
  readonly requestState?: string;
}

interface InputRequest {
  readonly method: string;
  readonly params?: { readonly requestedSchema?: { readonly properties?: Readonly<Record<string, Field>> } };
}

interface Field {
  readonly type?: string;
  readonly default?: unknown;
}

/**
 * Calls a tool, and again with answers while it asks.
 * @param beforeAnswering what happens between a question and its answers
 */
export async function callWithAnswers(
  plane: Plane,
  tool: string,
  args: object,
  beforeAnswering: () => Promise<void> = async () => {},
): Promise<Answer> {
  let answer = await plane.call(tool, args);
  for (let round = 0; round < maxRounds && isInterim(answer.data); round += 1) {
    const { inputRequests = {}, requestState } = answer.data;
    await beforeAnswering();
    const responses = Object.entries(inputRequests).map(([key, request]) => [key, respond(request)]);
    answer = await plane.call(tool, args, {
      input_responses: Object.fromEntries(responses),
      ...(requestState === undefined ? {} : { request_state: requestState }),
    });
  }
  return answer;
}

function isInterim(data: unknown): data is Interim {
  return typeof data === 'object' && data !== null && 'resultType' in data && data.resultType === 'input_required';
}

/** The bare result: of a form its defaults, and yes where a question has none. */
function respond({ method, params }: InputRequest): object {
  if (method === 'roots/list') return { roots: [] };
  if (method !== 'elicitation/create') {
    return { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'none', stopReason: 'endTurn' };
  }
  const fields = Object.entries(params?.requestedSchema?.properties ?? {}).flatMap(([name, field]) => {
    if (field.default !== undefined) return [[name, field.default]];
    return field.type === 'boolean' ? [[name, true]] : [];
  });
  return { action: 'accept', content: Object.fromEntries(fields) };
}
