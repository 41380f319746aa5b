// From the loops block of the file to what is in force.
import { defaultLoops, type LoopRules } from './config.js';
import type { RawLoops } from './loops-schema.js';

/** Null without the block, and then no call is compared with another. */
export function toLoops(raw: RawLoops | null | undefined): LoopRules | null {
  if (raw == null) return null;
  return {
    identical: raw.identical ?? defaultLoops.identical,
    withinSecs: raw.withinSecs ?? defaultLoops.withinSecs,
    alternating: raw.alternating ?? defaultLoops.alternating,
    onDetected: raw.onDetected ?? defaultLoops.onDetected,
    except: raw.except ?? defaultLoops.except,
  };
}
