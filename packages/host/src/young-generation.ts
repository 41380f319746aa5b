// The young generation of V8's heap doubles while much survives in it, and does not shrink again in an idle Node process.
// A start keeps nearly all that it makes, so it would leave behind room that little later work needs.
import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation as large as it is until the returned function is called, which may be done twice. For a short
 * time only: while a flag differs, Node rejects the compiled code of its own modules, and those that are loaded then
 * take longer. Where the process was started with sizes of its own, those hold.
 */
export function holdYoungGeneration(flags: readonly string[] = flagsOfProcess()): () => void {
  if (flags.some((flag) => /semi[-_]space/.test(flag))) return () => {};
  setGrowthFactor(1);
  return () => setGrowthFactor(2); // V8's own
}

function flagsOfProcess(): readonly string[] {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
}

/** V8 reads this flag each time that it is about to enlarge the young generation. */
function setGrowthFactor(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
