// Portico's steps in each client scenario. The suite judges by the requests that its mock server receives, not by the
// answers.
import { callWithAnswers } from './answers.js';
import { type Scenario, serverId } from './config.js';
import type { Plane } from './plane.js';

type Steps = (plane: Plane, scenario: Scenario) => Promise<void>;

const byName: Readonly<Record<string, Steps>> = {
  tools_call: calling(['add_numbers', { a: 5, b: 3 }]),
  'elicitation-sep1034-client-defaults': calling(['test_client_elicitation_defaults', {}]),
  'sse-retry': calling(['test_reconnection', {}]),
  'sep-2322-client-request-state': async (plane) => {
    await connecting(plane);
    const callAnother = () => callOrThrow(plane, 'test_mrtr_unrelated', {});
    await callOrThrow(plane, 'test_mrtr_echo_state', {}, callAnother);
    await callOrThrow(plane, 'test_mrtr_no_state', {});
    await callOrThrow(plane, 'test_mrtr_no_result_type', {});
  },
  'http-standard-headers': useEverything,
  'http-custom-headers': async (plane, { context }) => {
    await plane.connect();
    for (const { name, arguments: args } of context.toolCalls ?? []) await callOrThrow(plane, name, args);
  },
  'http-invalid-tool-headers': useEverything,
  'json-schema-ref-no-deref': async (plane) => {
    await plane.connect();
    await plane.describe('lookup_user');
    await plane.call('lookup_user', { id: 'ada' }); // has its arguments validated; the mock has no such call
  },
  'json-schema-2020-12-preservation': async (plane) => {
    await plane.connect();
    const { input_schema: schema } = await plane.describe('json_schema_2020_12_tool');
    await callOrThrow(plane, 'json_schema_echo', { schema });
  },
  'auth/scope-retry-limit': async (plane) => {
    await plane.refuse();
  },
};

/** The scenarios in which a client must turn away from the authorization server. */
const refused = new Set([
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
]);

export function stepsOf(name: string): Steps {
  const own = byName[name];
  if (own !== undefined) return own;
  if (refused.has(name)) return (plane) => plane.refuse();
  return name.startsWith('auth/') ? calling(['test-tool', {}]) : connecting;
}

async function connecting(plane: Plane): Promise<void> {
  await plane.connect();
  await plane.list('capabilities');
}

/** Calls these tools, one after the other. */
function calling(...calls: readonly (readonly [tool: string, args: object])[]): Steps {
  return async (plane) => {
    await connecting(plane);
    for (const [tool, args] of calls) await callOrThrow(plane, tool, args);
  };
}

/** Calls every tool, reads every resource and gets every prompt that Portico lists. */
async function useEverything(plane: Plane): Promise<void> {
  await plane.connect();
  for (const { tool = '' } of await plane.list('capabilities')) {
    await callOrThrow(plane, tool, exampleFor(await plane.describe(tool)));
  }
  for (const { uri } of await plane.list('resources')) {
    await plane.post('/v1/resources/read', { resource_id: `${serverId}.${uri}` });
  }
  for (const { name } of await plane.list('prompts')) {
    await plane.post('/v1/prompts/get', { prompt_id: `${serverId}.${name}`, arguments: {} });
  }
}

/** @param beforeAnswering what happens between a question and its answers */
async function callOrThrow(
  plane: Plane,
  tool: string,
  args: object,
  beforeAnswering?: () => Promise<void>,
): Promise<void> {
  const answer = await callWithAnswers(plane, tool, args, beforeAnswering);
  if (!answer.ok) throw new Error(`${tool}: ${answer.error?.code}: ${answer.error?.message}`);
}

/** Text for every required argument, which is all that the suite's tools require. */
function exampleFor({ input_schema: schema }: Readonly<Record<string, unknown>>): object {
  const { required = [] } = (schema ?? {}) as { readonly required?: readonly string[] }; // JSON Schema's own field
  return Object.fromEntries(required.map((name) => [name, 'example']));
}
