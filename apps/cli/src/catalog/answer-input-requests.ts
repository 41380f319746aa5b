// Puts the questions that a server asks during a call to the person at the terminal, and returns the answers in the
// form of MCP.
import { type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import type { Ask } from '../input/ask.js';
import { isObject } from '../is-object.js';
import { blockText } from '../output/show-result.js';

type Say = (text: string) => void;

/** Bare results by the keys of the questions. */
export async function answerInputRequests(requests: JsonObject, ask: Ask, say: Say): Promise<JsonObject> {
  const answers: Record<string, JsonValue> = {};
  for (const [key, request] of Object.entries(requests)) {
    if (!isObject(request)) continue;
    answers[key] = await answerOne(request, ask, say);
  }
  return answers;
}

function answerOne({ method, params }: JsonObject, ask: Ask, say: Say): Promise<JsonObject> {
  const given = isObject(params) ? params : {};
  if (method === 'roots/list') return answerRoots(ask, say);
  if (method === 'sampling/createMessage') return answerSampling(given, ask, say);
  return answerElicitation(given, ask, say);
}

async function answerRoots(ask: Ask, say: Say): Promise<JsonObject> {
  say('The server asks for the folders that it may work in:');
  const uris = (await ask('file:// URIs, with spaces between them (none): ')).split(/\s+/).filter((uri) => uri !== '');
  return { roots: uris.map((uri) => ({ uri })) };
}

async function answerSampling({ messages, systemPrompt }: JsonObject, ask: Ask, say: Say): Promise<JsonObject> {
  say('The server asks for a message of a model:');
  if (typeof systemPrompt === 'string') say(`system: ${systemPrompt}`);
  for (const message of Array.isArray(messages) ? messages.filter(isObject) : []) {
    const blocks = Array.isArray(message.content) ? message.content : [message.content];
    say(`${message.role}: ${blocks.filter(isObject).map(blockText).join('\n')}`);
  }
  const text = await ask('answer: ');
  return { role: 'assistant', content: { type: 'text', text }, model: 'human', stopReason: 'endTurn' };
}

/** A form of one question a field; `:decline` and `:cancel` answer the whole of it. */
async function answerElicitation(
  { message, requestedSchema, url }: JsonObject,
  ask: Ask,
  say: Say,
): Promise<JsonObject> {
  say(`The server asks: ${message ?? ''}`);
  if (typeof url === 'string') {
    say(`open ${url}`);
    return { action: (await ask('done? [y/N] ')).trim().toLowerCase().startsWith('y') ? 'accept' : 'decline' };
  }
  const schema = isObject(requestedSchema) ? requestedSchema : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const content: Record<string, JsonValue> = {};
  say('(:decline refuses to answer, :cancel ends the question, an empty line takes the default)');
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const answer = await askField(name, isObject(property) ? property : {}, required.includes(name), ask, say);
    if (answer === ':decline' || answer === ':cancel') return { action: answer.slice(1) };
    if (answer !== undefined) content[name] = answer;
  }
  return { action: 'accept', content };
}

async function askField(
  name: string,
  field: JsonObject,
  isRequired: boolean,
  ask: Ask,
  say: Say,
): Promise<JsonValue | undefined> {
  const { title, description, default: preset, enum: choices, type } = field;
  const about = [typeof description === 'string' ? description : '', Array.isArray(choices) ? choices.join(' | ') : '']
    .filter((text) => text !== '')
    .join('; ');
  say(`${title ?? name}${about === '' ? '' : ` (${about})`}`);
  for (;;) {
    const text = (await ask(`${name}${preset === undefined ? '' : ` [${sayPreset(preset)}]`}: `)).trim();
    if (text === ':decline' || text === ':cancel') return text;
    if (text === '' && preset !== undefined) return preset;
    if (text === '' && !isRequired) return undefined;
    const value = toValue(text, type);
    if (value !== undefined && (!Array.isArray(choices) || choices.includes(value))) return value;
    say(text === '' ? 'this has to be answered' : `"${text}" is no ${Array.isArray(choices) ? 'choice' : type}`);
  }
}

function sayPreset(preset: JsonValue): string {
  return typeof preset === 'string' ? preset : JSON.stringify(preset);
}

/** Undefined for what is not of the type. */
function toValue(text: string, type: JsonValue | undefined): JsonValue | undefined {
  if (type === 'boolean') return /^(y|yes|true)$/i.test(text) ? true : /^(n|no|false)$/i.test(text) ? false : undefined;
  if (type === 'number' || type === 'integer') {
    const value = text === '' ? Number.NaN : Number(text);
    return Number.isFinite(value) && (type === 'number' || Number.isInteger(value)) ? value : undefined;
  }
  if (type === 'array' && text.startsWith('[')) return toJson(text);
  return text === '' ? undefined : type === 'array' ? text.split(',').map((part) => part.trim()) : text;
}

function toJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
