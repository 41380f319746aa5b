// The scope of a call of one of the facade's own tools, by its checked arguments.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import type { CallKind } from '@portico/control-plane';
import type { About } from '../calls/first-wait.js';

export const everything = (): About => 'everything';
export const nothing = (): About => [];
export const capability = ({ capability_id }: JsonObject): About => named('tool', capability_id);
export const resource = ({ resource_id }: JsonObject): About => named('resource', resource_id);
export const prompt = ({ prompt_id }: JsonObject): About => named('prompt', prompt_id);

export const reference = ({ ref_type, ref_name }: JsonObject): About =>
  named(ref_type === 'prompt' ? 'prompt' : 'resource', ref_name);

export const steps = (args: JsonObject): About => {
  const all = Array.isArray(args.steps) ? args.steps : [];
  return all.filter(isJsonObject).flatMap(({ capability_id }) => named('tool', capability_id));
};

function named(kind: CallKind, id: JsonValue | undefined) {
  return typeof id === 'string' ? [{ kind, id }] : [];
}
