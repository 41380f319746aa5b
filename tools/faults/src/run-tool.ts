// Common parts of tools that run for a while: numbers as flags, and an end that closes what they have opened.
import type { Scope } from './scope.js';

const forms = {
  whole: { pattern: /^\d{1,9}$/, name: 'a whole number' },
  decimal: { pattern: /^\d{1,4}(\.\d+)?$/, name: 'a number' },
} as const;

/** The value of a flag; an invalid text ends the process with 2. */
export function numberFlag(flag: string, text: string, form: keyof typeof forms = 'whole'): number {
  const { pattern, name } = forms[form];
  if (pattern.test(text)) return Number(text);
  process.stderr.write(`--${flag}: expected ${name}, got ${text}\n`);
  return process.exit(2);
}

/** A seed for a run that is given none. */
export function anySeed(): string {
  return String(Math.floor(Math.random() * 1_000_000));
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Has a signal close what the scope holds, and end the process. To be awaited at the end of the tool: the returned
 * function resolves at once where no signal came, and else never, since the process ends first.
 */
export function stopOnSignals(scope: Scope): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  for (const [signal, code] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      stopping ??= scope.stop().finally(() => process.exit(code));
    });
  }
  return async () => stopping;
}
