// The values that a grant keeps, as people see them: redacted by the keys on their way, with all digits of numbers.
import {
  gatherExact,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KeptArgument,
  keepExact,
} from '@portico/contracts';
import { type GrantCondition, namesOfPointer, type Redactor } from '@portico/policy-engine';

/** In the form of the wire. */
export function shownConditions(conditions: readonly GrantCondition[], redactor: Redactor): KeptArgument[] {
  return gatherExact(conditions.map((condition) => shown(condition, redactor)));
}

function shown({ path, value, exact }: GrantCondition, redactor: Redactor): KeptArgument {
  const keys = namesOfPointer(path);
  const around = keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value) as JsonObject;
  let redacted: JsonValue = redactor.redact(around);
  for (const key of keys) {
    if (!isJsonObject(redacted)) break; // a key on the way is redacted
    redacted = redacted[key] ?? null;
  }
  const isShown = exact !== undefined && redacted === value;
  const known = { path: redactor.maskText(path), value: maskIn(redacted, redactor) };
  return gatherExact(known, isShown ? [['value', exact]] : []);
}

/** Masks the known values of secrets at every depth. */
function maskIn(value: JsonValue, redactor: Redactor): JsonValue {
  if (typeof value === 'string') return redactor.maskText(value);
  if (Array.isArray(value))
    return keepExact(
      value,
      value.map((entry) => maskIn(entry, redactor)),
    );
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, maskIn(member ?? null, redactor)]);
  return keepExact(value, Object.fromEntries(entries) as JsonObject);
}
