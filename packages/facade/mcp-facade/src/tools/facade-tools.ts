// The facade's own tools: find, describe and call what the servers have, with the fields of the HTTP bodies. Each has a
// schema for what goes in and comes out, made from the schemas of the wire.
import {
  approvalAnswerSchema,
  batchCallRequestSchema,
  batchCallResponseSchema,
  callCapabilityRequestSchema,
  capabilitiesListSchema,
  capabilityDescribeSchema,
  completionRequestSchema,
  completionResponseSchema,
  errorEnvelopeSchema,
  getPromptRequestSchema,
  type JsonObject,
  promptsListSchema,
  readResourceRequestSchema,
  resourcesListSchema,
  searchAnswerSchema,
  searchRequestSchema,
  successEnvelopeSchema,
  taskAnswerSchema,
  wireJsonSchema,
} from '@portico/contracts';
import * as v from 'valibot';
import type { About } from '../calls/first-wait.js';
import * as about from './about.js';
import * as actions from './facade-actions.js';

export interface FacadeTool {
  readonly name: string;
  /** As `tools/list` has it. */
  readonly definition: JsonObject;
  readonly input: v.GenericSchema;
  /** The scope of a call. @param args checked */
  readonly about: (args: JsonObject) => About;
  readonly run: actions.FacadeAction;
}

const nothing = v.object({});
const capabilityId = v.object({ capability_id: v.pipe(v.string(), v.minLength(1)) });
const approvalId = v.object({ approval_id: v.pipe(v.string(), v.minLength(1)) });
const taskId = v.object({ task_id: v.pipe(v.string(), v.minLength(1)) });

/** Read-only tools change nothing anywhere; the others do what the capability they call does. */
const looks = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const reads = { readOnlyHint: true, openWorldHint: true };
const acts = { readOnlyHint: false, openWorldHint: true };

export const facadeTools: readonly FacadeTool[] = [
  tool(
    'capabilities_list',
    'List capabilities',
    'Lists every capability (a tool of a connected server) in five short fields. Prefer capability_search when there are many.',
    [nothing, capabilitiesListSchema, looks],
    [actions.listCapabilities, about.everything],
  ),
  tool(
    'capability_search',
    'Search capabilities',
    'Finds capabilities by words, meaning, servers, tags, modes; best first. confident: likely right. no_good_match: none fits. Else: near.',
    [searchRequestSchema, searchAnswerSchema, looks],
    [actions.searchCapabilities, about.everything],
  ),
  tool(
    'capability_describe',
    'Describe a capability',
    'Gives the description, the schema of the arguments and examples of one capability. Read it before the first call.',
    [capabilityId, capabilityDescribeSchema, looks],
    [actions.describeCapability, about.capability],
  ),
  tool(
    'capability_call',
    'Call a capability',
    'Calls a capability by its id. `data` of the answer is the result of the tool. An idempotency_key makes a repeat safe.',
    [withoutAcceptInput(callCapabilityRequestSchema), successEnvelopeSchema, acts],
    [actions.callCapability, about.capability],
  ),
  tool(
    'capabilities_batch_call',
    'Call capabilities in order',
    'Calls up to 50 capabilities one after the other; "$<step id>.<path>" in the arguments of a step takes a value from the result of an earlier one.',
    [batchCallRequestSchema, batchCallResponseSchema, acts],
    [actions.callBatch, about.steps],
  ),
  tool(
    'resources_list',
    'List resources',
    'Lists the resources and resource templates of all servers.',
    [nothing, resourcesListSchema, looks],
    [actions.listResources, about.everything],
  ),
  tool(
    'resource_read',
    'Read a resource',
    'Reads a resource by its id.',
    [withoutAcceptInput(readResourceRequestSchema), successEnvelopeSchema, reads],
    [actions.readResource, about.resource],
  ),
  tool(
    'prompts_list',
    'List prompts',
    'Lists the prompts of all servers.',
    [nothing, promptsListSchema, looks],
    [actions.listPrompts, about.everything],
  ),
  tool(
    'prompt_get',
    'Get a prompt',
    'Gets a prompt by its id, filled in with arguments.',
    [withoutAcceptInput(getPromptRequestSchema), successEnvelopeSchema, reads],
    [actions.getPrompt, about.prompt],
  ),
  tool(
    'completion_complete',
    'Complete an argument',
    'Suggests values for an argument of a prompt or of a resource template.',
    [completionRequestSchema, completionResponseSchema, reads],
    [actions.complete, about.reference],
  ),
  tool(
    'approval_status',
    'Look up an approval',
    'Returns the status of an approval that a call waits for, and the result of the call once it has run.',
    [approvalId, approvalAnswerSchema, looks],
    [actions.approvalStatus, about.nothing],
  ),
  tool(
    'task_status',
    'Look up a task',
    'Returns the status of a task that a call has become, and the result of the call once it has ended.',
    [taskId, taskAnswerSchema, looks],
    [actions.taskStatus, about.nothing],
  ),
];

/** An MCP client says by its capabilities what it can be asked. */
function withoutAcceptInput(body: v.ObjectSchema<v.ObjectEntries, undefined>): v.GenericSchema {
  const { accept_input: _, ...entries } = body.entries;
  return v.object(entries);
}

type Shapes = readonly [input: v.GenericSchema, output: v.GenericSchema, annotations: JsonObject];

function tool(
  name: string,
  title: string,
  description: string,
  [input, output, annotations]: Shapes,
  [run, aboutOf]: readonly [actions.FacadeAction, FacadeTool['about']],
): FacadeTool {
  const definition = {
    name,
    title,
    description,
    inputSchema: wireJsonSchema(input, 'input'),
    outputSchema: {
      type: 'object',
      anyOf: [wireJsonSchema(output, 'output'), wireJsonSchema(errorEnvelopeSchema, 'output')],
    },
    annotations,
  };
  return { name, definition, input, about: aboutOf, run };
}
