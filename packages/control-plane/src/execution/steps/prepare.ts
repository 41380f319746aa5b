// Step 4: takes the modifiers out of the arguments, checks what is left, and makes the upstream's request of it.
// Nothing has been sent when this fails.
import { describeIssues, type Issue, type JsonObject, joinPath, type PromptDefinition } from '@portico/contracts';
import { type Modifiers, takeModifiers } from '@portico/distill';
import type { UpstreamRequest } from '@portico/upstream-pool';
import { CallFailure } from '../../call/call.js';
import type { Target } from '../../call/target.js';
import type { ArgumentValidator } from './validate-arguments.js';

export interface Prepared {
  readonly request: UpstreamRequest;
  /** What is to be done to the result of a tool. */
  readonly modifiers: Modifiers;
}

/** @throws CallFailure INVALID_ARGS naming the path */
export function prepare(validator: ArgumentValidator, target: Target, args: JsonObject): Prepared {
  const { name } = target;
  switch (target.kind) {
    case 'tool': {
      const taken = takeModifiers(args);
      if (!taken.ok) throw invalid(taken.issue);
      const issue = target.tool && validator.checkFor(target.tool.inputSchema)(taken.args, target.id);
      if (issue !== undefined) throw invalid(issue);
      const request = { method: 'tools/call', params: { name, arguments: taken.args } } as const;
      return { request, modifiers: taken.modifiers };
    }
    case 'resource':
      return { request: { method: 'resources/read', params: { uri: name } }, modifiers: {} };
    case 'prompt': {
      const issue = target.prompt && findPromptIssue(target.prompt, args);
      if (issue !== undefined) throw invalid(issue);
      return { request: { method: 'prompts/get', params: { name, arguments: args } }, modifiers: {} };
    }
  }
}

function invalid(issue: Issue): CallFailure {
  return new CallFailure('INVALID_ARGS', describeIssues([issue]));
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
