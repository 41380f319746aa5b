// The treatment of a call's arguments before anything is sent: whether they are valid, and the parts that records
// redact.
import { isJsonObject, type JsonObject, type JsonValue, joinPath } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';

export interface ArgumentTrial {
  /** `unknown` where the definition is not known, or is not checked at this server. */
  readonly fits: 'yes' | 'no' | 'unknown';
  /** The problem; undefined for valid arguments. */
  readonly problem: string | undefined;
  /** Arguments that are converted to the types of the schema. */
  readonly converted: readonly string[];
  /** Paths of the values that records redact. */
  readonly redacted: readonly string[];
  /** As records show them. */
  readonly sanitized: JsonObject;
}

/** Paths that are named at most. */
const maxPaths = 100;

/** Paths of values, and of texts with a secret inside, that a redactor keeps from view. */
export function redactedPaths({ redact }: Pick<Redactor, 'redact'>, args: JsonObject): readonly string[] {
  const paths: string[] = [];
  collect(args, redact(args), [], paths);
  return paths;
}

function collect(
  given: JsonValue | undefined,
  shown: JsonValue | undefined,
  at: readonly (string | number)[],
  paths: string[],
): void {
  if (given === shown || paths.length === maxPaths) return; // what needs no change comes back by reference
  const into = (name: string | number, value: JsonValue | undefined, other: JsonValue | undefined) =>
    collect(value, other, [...at, name], paths);
  if (Array.isArray(given) && Array.isArray(shown))
    given.forEach((value, index) => void into(index, value, shown[index]));
  else if (isJsonObject(given) && isJsonObject(shown))
    for (const [name, value] of Object.entries(given)) into(name, value, shown[name]);
  else paths.push(joinPath(at));
}
