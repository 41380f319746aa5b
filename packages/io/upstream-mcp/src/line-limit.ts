// Passes on a limited number of lines a second and reports how many more there were, so that a noisy child cannot flood
// the log.

export interface LineLimit {
  pass(line: string): void;
  /** Reports the lines that were held back since the last second began. */
  end(): void;
}

export interface LineLimitOptions {
  readonly perSecond: number;
  readonly onLine: (line: string) => void;
  /** The line that replaces `count` lines that were held back. */
  readonly summary: (count: number) => string;
}

export function limitLines({ perSecond, onLine, summary }: LineLimitOptions): LineLimit {
  let passed = 0;
  let heldBack = 0;
  let second: NodeJS.Timeout | undefined;

  const end = () => {
    clearTimeout(second);
    second = undefined;
    const count = heldBack;
    passed = 0;
    heldBack = 0;
    if (count > 0) onLine(summary(count));
  };

  return {
    end,
    pass(line) {
      second ??= setTimeout(end, 1_000).unref();
      passed += 1;
      if (passed <= perSecond) onLine(line);
      else heldBack += 1;
    },
  };
}
