// Step 3: checks the arguments and makes the upstream's request of them. Nothing has been sent when this fails.
import { describeIssues, type Issue, type JsonObject, joinPath, type PromptDefinition } from '@portico/contracts';
import type { UpstreamRequest } from '@portico/upstream-pool';
import { CallFailure } from '../call.js';
import type { ArgumentValidator } from '../validate-arguments.js';
import type { Target } from './resolve.js';

/** @throws CallFailure INVALID_ARGS naming the path */
export function prepare(
  validator: ArgumentValidator,
  target: Target,
  args: JsonObject,
  meta: JsonObject,
): UpstreamRequest {
  const issue = findIssue(validator, target, args);
  if (issue !== undefined) throw new CallFailure('INVALID_ARGS', describeIssues([issue]));
  const { name } = target;
  switch (target.kind) {
    case 'tool':
      return { method: 'tools/call', params: { name, arguments: args, _meta: meta } };
    case 'resource':
      return { method: 'resources/read', params: { uri: name, _meta: meta } };
    case 'prompt':
      return { method: 'prompts/get', params: { name, arguments: args, _meta: meta } };
  }
}

/** Keys that shorten a result. They are not carried out yet, and must not reach a tool as arguments of its own. */
const modifiers = ['_jsonpath', '_limit_lines', '_truncate_bytes'];

function findIssue(validator: ArgumentValidator, { kind, tool, prompt }: Target, args: JsonObject): Issue | undefined {
  const modifier = kind === 'tool' ? modifiers.find((key) => Object.hasOwn(args, key)) : undefined;
  if (modifier !== undefined) {
    return { path: joinPath(['args', modifier]), message: 'is not available in this version of Portico; leave it out' };
  }
  if (tool !== undefined) return validator.checkFor(tool.inputSchema)(args);
  return prompt && findPromptIssue(prompt, args);
}

/** Prompt arguments are texts (MCP, server/prompts). */
function findPromptIssue(prompt: PromptDefinition, args: JsonObject): Issue | undefined {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string') return { path: joinPath(['arguments', name]), message: 'expected a string' };
  }
  const missing = prompt.arguments?.find(
    ({ name, required }) => required === true && !Object.hasOwn(args, String(name)),
  );
  return missing && { path: joinPath(['arguments', String(missing.name)]), message: 'is required' };
}
