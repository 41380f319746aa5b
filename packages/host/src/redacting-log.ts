// The log behind the policy's redaction: no line leaves with the value of a key that policy keeps from view, nor with
// a secret that is in use.
import type { JsonValue } from '@portico/contracts';
import type { Log } from '@portico/control-plane';
import { createRedactor, defaultRedactKeys, type Redactor } from '@portico/policy-engine';
import type { KnownSecrets } from '@portico/upstream-mcp';

export interface RedactingLog {
  readonly log: Log;
  /** Redacts by what this gives from now on; until then by the built-in list of keys. */
  follow(redactor: () => Redactor): void;
}

export function createRedactingLog(write: Log, { mask, maskJson }: KnownSecrets): RedactingLog {
  const builtIn = createRedactor(defaultRedactKeys);
  let current = () => builtIn;
  return {
    log(level, message, fields = {}) {
      const { redact, redactText } = current();
      const plain = Object.entries(fields).map(([name, value]) => [name, toPlain(value, redactText)]);
      const shown = maskJson(redact(Object.fromEntries(plain)));
      // Fields are plain data, so the result is an object as well.
      write(level, mask(redactText(message)), shown as Readonly<Record<string, JsonValue>>);
    },
    follow(redactor) {
      current = redactor;
    },
  };
}

function toPlain(value: unknown, redactText: Redactor['redactText']): unknown {
  if (typeof value === 'string') return redactText(value);
  if (!(value instanceof Error)) return value;
  const { name, message, stack = '' } = value;
  return { type: name, message: redactText(message), stack: redactText(stack) };
}
