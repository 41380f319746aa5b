// Request bodies: what is taken, and what this version refuses instead of ignoring.
import { describe, expect, it } from 'vitest';
import { describeIssues, parseWith } from '../issues.js';
import { searchRequestSchema } from './catalog.js';
import {
  callCapabilityRequestSchema,
  completionRequestSchema,
  getPromptRequestSchema,
  readResourceRequestSchema,
} from './execution.js';
import { policyRequestSchema } from './policy-request.js';

function problemOf(schema: Parameters<typeof parseWith>[0], body: unknown): string | undefined {
  const parsed = parseWith(schema, body);
  return parsed.ok ? undefined : describeIssues(parsed.issues);
}

describe('request bodies', () => {
  it.each([
    ['a call', callCapabilityRequestSchema, { capability_id: 's.t', args: {} }],
    [
      'a call with nulls where nothing is meant',
      callCapabilityRequestSchema,
      {
        capability_id: 's.t',
        args: {},
        request_id: null,
        context: { actor_id: null },
        idempotency_key: null,
        input_responses: null,
        request_state: null,
        accept_input: null,
      },
    ],
    [
      'a call that says what it answers',
      callCapabilityRequestSchema,
      { capability_id: 's.t', args: {}, accept_input: ['roots', 'elicitation', 'sampling'] },
    ],
    [
      'a read',
      readResourceRequestSchema,
      { resource_id: 's.file:///a', request_id: 'r', idempotency_key: 'k'.repeat(1024) },
    ],
    ['a prompt without arguments', getPromptRequestSchema, { prompt_id: 's.p', arguments: null }],
    ['a completion', completionRequestSchema, { ref_type: 'prompt', ref_name: 's.p', argument_name: 'a' }],
    ['an empty search', searchRequestSchema, {}],
    [
      'a search with nulls',
      searchRequestSchema,
      { query: null, limit: null, server_ids: null, tags: null, modes: null },
    ],
  ])('take %s', (_what, schema, body) => {
    expect(problemOf(schema, body)).toBeUndefined();
  });

  it.each([
    ['a call without a capability', callCapabilityRequestSchema, { args: {} }, 'capability_id: is required'],
    [
      'a call with an empty id',
      callCapabilityRequestSchema,
      { capability_id: '', args: {} },
      'capability_id: expected a length of >=1, got 0',
    ],
    ['a call without args', callCapabilityRequestSchema, { capability_id: 's.t' }, 'args: is required'],
    [
      'args that are a list',
      callCapabilityRequestSchema,
      { capability_id: 's.t', args: [] },
      'args: expected an object',
    ],
    [
      'an idempotency key that is too long',
      getPromptRequestSchema,
      { prompt_id: 's.t', idempotency_key: 'k'.repeat(1025) },
      'idempotency_key: an idempotency key has 1 to 1024 characters',
    ],
    [
      'an idempotency key that is no text',
      readResourceRequestSchema,
      { resource_id: 's.t', idempotency_key: '\ud800' },
      'idempotency_key: an idempotency key is valid Unicode text without null characters',
    ],
    [
      'answers that are a list',
      readResourceRequestSchema,
      { resource_id: 's.r', input_responses: [] },
      'input_responses: expected an object',
    ],
    [
      'a kind of question that there is not',
      callCapabilityRequestSchema,
      { capability_id: 's.t', args: {}, accept_input: ['elicitation', 'root'] },
      'accept_input[1]: unknown kind of question; did you mean "roots"? (known are elicitation, sampling, roots)',
    ],
    [
      'a kind of question that is no text',
      readResourceRequestSchema,
      { resource_id: 's.r', accept_input: [1] },
      'accept_input[0]: expected one of elicitation, sampling, roots',
    ],
    [
      'kinds of questions that are no list',
      getPromptRequestSchema,
      { prompt_id: 's.p', accept_input: 'roots' },
      'accept_input: expected Array, got string',
    ],
    [
      'a request id that is a number',
      getPromptRequestSchema,
      { prompt_id: 's.p', request_id: 1 },
      'request_id: expected string, got number',
    ],
    [
      'a completion of a tool',
      completionRequestSchema,
      { ref_type: 'tool', ref_name: 's.t', argument_name: 'a' },
      'ref_type: expected ("prompt" | "resource"), got "tool"',
    ],
    [
      'a policy with the spelling of the file',
      policyRequestSchema,
      { requireApproval: [] },
      'requireApproval: is not a field here: write require_approval',
    ],
    [
      'a policy with a field of its webhook',
      policyRequestSchema,
      { secretEnv: 'S' },
      'secretEnv: is not a field here: secret_env belongs in webhook',
    ],
    [
      'a webhook with a field of the policy',
      policyRequestSchema,
      { webhook: { url: 'http://a', deny: [] } },
      'webhook.deny: is not a field here: deny belongs beside webhook',
    ],
    [
      'a policy with an unknown field',
      policyRequestSchema,
      { denied: [] },
      'denied: is not a field here: there are allow, deny, require_approval, redact_keys, approval_timeout_secs, rules, shadow, webhook',
    ],
    ['a policy that is text', policyRequestSchema, 'deny', 'expected Object, got string'],
    ['a limit of none', searchRequestSchema, { limit: 0 }, 'limit: expected >=1, got 0'],
    ['a limit past 100', searchRequestSchema, { limit: 101 }, 'limit: expected <=100, got 101'],
    [
      'an unknown mode',
      searchRequestSchema,
      { modes: ['read', 'admin'] },
      'modes[1]: expected ("read" | "write"), got "admin"',
    ],
  ])('refuse %s', (_what, schema, body, problem) => {
    expect(problemOf(schema, body)).toBe(problem);
  });
});
