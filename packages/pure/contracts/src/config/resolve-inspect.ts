// From the inspect block of the file to what is in force.
import { defaultInspect, type Inspect } from './config.js';
import type { RawInspect } from './inspect-schema.js';

export function toInspect(raw: RawInspect | null | undefined): Inspect {
  return {
    isEnabled: raw?.enabled ?? defaultInspect.isEnabled,
    maxMb: raw?.maxMb ?? defaultInspect.maxMb,
    bodies: raw?.bodies ?? defaultInspect.bodies,
    maxBodyKb: raw?.maxBodyKb ?? defaultInspect.maxBodyKb,
  };
}
