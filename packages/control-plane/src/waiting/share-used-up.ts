// How a caller learns that a share is used up: what is counted, whose share it is, how much it has, and the setting.
import type { Refusal } from '@portico/async';
import type { Limits } from '@portico/contracts';

export interface UsedUp extends Refusal {
  readonly setting: keyof Limits;
  readonly limit: number;
}

/**
 * The first half of a refusal; what to do next follows it.
 * @param things what is counted, such as "calls that wait for approval"
 */
export function shareUsedUp(
  { level, held, setting, limit }: UsedUp,
  things: string,
  { principal, server }: Owner,
): string {
  const place = level === 0 || server === undefined ? '' : ` at server "${server}"`;
  return `principal "${principal}" has all of its share of ${things}${place}: ${held} (limits.${setting}: ${limit})`;
}

interface Owner {
  /** As the audit log names it, where it does. */
  readonly principal: string;
  /** Where shares are split between servers. */
  readonly server?: string;
}
