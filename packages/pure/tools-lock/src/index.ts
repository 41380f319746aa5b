// A lock file for what MCP servers say of themselves and of their tools. Data in, data out.
export { acceptInto, ServerNotAccepted } from './accept-into.js';
export { compareServer, driftId, goneServer } from './compare.js';
export {
  type Drift,
  type DriftClass,
  driftClasses,
  type FieldChange,
  verdictOf,
} from './drift.js';
export { type Finding, findingsIn } from './findings.js';
export { hiddenCharacters } from './hidden-characters.js';
export { isNarrower } from './is-narrower.js';
export {
  type Acceptance,
  emptyLock,
  type ListedDefinition,
  type ListedServer,
  type LockedDefinition,
  type LockedKind,
  type LockedServer,
  type ServerIdentity,
  type ToolsLock,
} from './lock-file.js';
export { digestOfDefinition, type LockFault, otherConfiguration, parseLock, UnusableLock } from './parse-lock.js';
export { serializeLock, serializeLockInSteps } from './serialize-lock.js';
