// The limits block with its defaults filled in.
import { defaultLimits, type Limits } from './config.js';
import type { RawLimits } from './limits-schema.js';

export function toLimits(raw: RawLimits | null | undefined): Limits {
  return {
    validationSteps: raw?.validationSteps ?? defaultLimits.validationSteps,
    maxStallMs: raw?.maxStallMs ?? defaultLimits.maxStallMs,
    approvals: raw?.approvals ?? defaultLimits.approvals,
    samplingTickets: raw?.samplingTickets ?? defaultLimits.samplingTickets,
    waitingCharacters: raw?.waitingCharacters ?? defaultLimits.waitingCharacters,
    parkedCalls: raw?.parkedCalls ?? defaultLimits.parkedCalls,
    tasks: raw?.tasks ?? defaultLimits.tasks,
    sessions: raw?.sessions ?? defaultLimits.sessions,
    streams: raw?.streams ?? defaultLimits.streams,
    queuedCalls: raw?.queuedCalls ?? defaultLimits.queuedCalls,
    keptCharacters: raw?.keptCharacters ?? defaultLimits.keptCharacters,
    uriCharacters: raw?.uriCharacters ?? defaultLimits.uriCharacters,
    listedUriCharacters: raw?.listedUriCharacters ?? defaultLimits.listedUriCharacters,
    resumableEvents: raw?.resumableEvents ?? defaultLimits.resumableEvents,
    resumableBytes: raw?.resumableBytes ?? defaultLimits.resumableBytes,
    listedTemplates: raw?.listedTemplates ?? defaultLimits.listedTemplates,
    messageNames: raw?.messageNames ?? defaultLimits.messageNames,
  };
}
