// Names for SIEM targets that stay the same across restarts. No secret goes into them, except what the address needs.
import { createHash } from 'node:crypto';
import type { SiemTarget } from '@portico/contracts';

export interface IdentifiedTarget {
  readonly id: string;
  readonly target: SiemTarget;
}

/** Targets that differ by their credentials only are numbered, in their order, from the second on. */
export function identifyTargets(targets: readonly SiemTarget[]): readonly IdentifiedTarget[] {
  const seen = new Map<string, number>();
  return targets.map((target) => {
    const id = idOf(target);
    const nth = (seen.get(id) ?? 0) + 1;
    seen.set(id, nth);
    return { id: nth === 1 ? id : `${id}-${nth}`, target };
  });
}

function idOf(target: SiemTarget): string {
  const identity =
    target.kind === 'webhook'
      ? [target.kind, addressOf(target.url)]
      : [target.kind, addressOf(target.url), target.index, target.source];
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return `${target.kind}-${digest.slice(0, 12)}`;
}

/** The query belongs to it: `?tenant=a` and `?tenant=b` are two targets, and to mix them up would lose records. */
function addressOf(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search}`;
}
