// Work that a server can make long, under a name that the watchdog finds: while a large message is parsed, or a listing
// is read, nothing else runs.
import { type Bounds, defaultLimits, upstreamBounds } from '@portico/contracts';
import { parseMessages, type RpcMessage } from './wire.js';

/** Does the work, named for the watchdog while it runs. */
export type InStage = <T>(stage: string, work: () => T) => T;

/** The same for any server. */
export type InStageOf = <T>(stage: string, server: string, work: () => T) => T;

export const unnamed: InStage = (_stage, work) => work();

/** @param inStageOf undefined if no watchdog reads the names */
export function stagesFor(inStageOf: InStageOf | undefined, server: string): InStage {
  return inStageOf === undefined ? unnamed : (stage, work) => inStageOf(stage, server, work);
}

export type ParseMessages = (text: string) => readonly RpcMessage[];

/** Characters that are parsed in some milliseconds. A message that has no more, as nearly all, names nothing. */
export const smallMessage = 100_000;

/** `limits.messageNames`, as it is now. */
export type MessageNames = () => number;

/** `parseMessages` for texts that are larger. */
export function createLargeParser(
  inStage: InStage,
  messageNames: MessageNames = () => defaultLimits.messageNames,
): ParseMessages {
  return (text) => {
    const bounds: Bounds = { ...upstreamBounds, names: messageNames(), namesSetting: 'limits.messageNames' };
    return inStage('parsing a message', () => parseMessages(text, bounds));
  };
}
