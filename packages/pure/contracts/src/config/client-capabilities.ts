// Client capabilities declared to one upstream server (MCP, `ClientCapabilities`): everything that Portico bridges,
// unless the configuration leaves out a kind.
import * as v from 'valibot';
import type { JsonObject } from '../json.js';
import { suggestion } from '../nearest.js';
import { notAList } from '../not-a-list.js';

const elicitationModes = ['form', 'url'] as const;

/** Kinds of questions that a server may ask, as MCP names the capabilities. */
export const questionKinds = ['elicitation', 'sampling', 'roots'] as const;
export type QuestionKind = (typeof questionKinds)[number];

const flag = (what: string) => v.optional(v.pipe(v.boolean('expected true or false'), v.description(what)));

export const clientCapabilitiesSchema = notAList(
  v.strictObject(
    {
      elicitation: v.optional(
        v.pipe(
          v.union([v.boolean(), v.picklist(elicitationModes)], 'expected true, false, "form" or "url"'),
          v.description('Questions to the user: in all modes (true, the default), in one ("form", "url"), or none'),
        ),
      ),
      sampling: flag('Messages of a model (default true)'),
      roots: flag('The folders that a server may work in (default true)'),
    },
    (issue) =>
      issue.expected === 'never'
        ? `is no kind of question; ${suggestion(String(issue.path?.at(-1)?.key), questionKinds)}`
        : 'expected an object such as {"sampling": false}',
  ),
);

/** As MCP has it; the `elicitation` of one mode has only that. */
export function toClientCapabilities(raw: v.InferOutput<typeof clientCapabilitiesSchema>): JsonObject {
  const { elicitation = true, sampling = true, roots = true } = raw;
  const modes = elicitationModes.filter((mode) => elicitation === true || elicitation === mode);
  return {
    ...(modes.length === 0 ? {} : { elicitation: Object.fromEntries(modes.map((mode) => [mode, {}])) }),
    ...(sampling ? { sampling: {} } : {}),
    ...(roots ? { roots: {} } : {}),
  };
}

/** Capabilities declared to a server without a setting. */
export const allClientCapabilities: JsonObject = Object.freeze(toClientCapabilities({}));
