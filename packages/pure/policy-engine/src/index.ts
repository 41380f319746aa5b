// Policy decisions, names of resources, redaction, tickets. Data in, data out.
export { bearerToken, hasToken, isLoopback, isOwnHost, isOwnOrigin, maxKnownHosts, splitHost } from './access.js';
export {
  type ArgumentRules,
  type ArgumentVerdict,
  type CompiledRules,
  compileArgumentRules,
  type RuleMet,
} from './argument-rules.js';
export { type ConditionInput, maxConditionLength, maxConditionSteps } from './conditions/condition.js';
export {
  clockTolerance,
  endOf,
  freeOf,
  type Grant,
  type GrantBinding,
  type GrantCondition,
  type GrantedCall,
  type GrantLife,
  type GrantMiss,
  missOf,
  namesOfPointer,
  pointerTo,
  scopeOf,
} from './grants/grant.js';
export { foldedGuardName, foldName, guardKindOf, guardName, withoutMark } from './guard-names.js';
export { callerRole, isLocalRole, otherUserRole } from './local-roles.js';
export { piecesSpelled } from './pattern-spellings.js';
export { compilePatterns, type PatternSet } from './patterns.js';
export {
  compilePolicy,
  compileRoles,
  isStricter,
  isVisible,
  narrow,
  type Policy,
  type PolicyDecision,
  type PolicyRules,
  type RoleSet,
  strictest,
  type Viewer,
} from './policy.js';
export { actorKindOf, type Claims, identifyClaims, type Principal, principalOfToken } from './principals.js';
export { defaultRedactKeys } from './redact-keys.js';
export { createRedactor, type Redactor } from './redaction.js';
export { isFileUri, type ResourceReadings, resourceReadings } from './resource-readings.js';
export { compileTokens, type TokenDigest, type TokenSet } from './static-tokens.js';
export { decideTicket, type TicketDecision, type TicketStatus, type TicketTimes } from './ticket.js';
export { type DefinitionChanges, definitionChanges } from './ticket-view/definition-changes.js';
export { type ShowLimits, showArguments, wideLimits } from './ticket-view/show-arguments.js';
export { visibleJson, visibleText } from './ticket-view/visible-json.js';
