// The limits block with its defaults filled in.
import { defaultLimits, type Limits } from './config.js';
import type { RawLimits } from './limits-schema.js';

export function toLimits(raw: RawLimits | null | undefined): Limits {
  return {
    validationSteps: raw?.validationSteps ?? defaultLimits.validationSteps,
    maxStallMs: raw?.maxStallMs ?? defaultLimits.maxStallMs,
  };
}
