// The rules of a configuration without a service: what an earlier run has kept of the servers is all that is known of them.
import type { Config, JsonObject } from '@portico/contracts';
import type { StoredDefinitions } from '../catalog/definitions/definition-store.js';
import { noStages } from '../common/stage.js';
import { createArgumentValidator } from '../execution/steps/validate-arguments.js';
import { initialState, type PlaneState, reduce } from '../state/plane-state.js';
import { definitionsFingerprint } from '../state/server-changes.js';
import { type PolicyTrial, type PolicyVerdict, tryPolicy } from './try-policy.js';

export interface OfflinePolicy {
  /** As `PolicyService.try`. @throws PorticoError INVALID_ARGS */
  try(trial: PolicyTrial): PolicyVerdict;
  /** Input schema of a capability; undefined if its definition is not known. */
  inputSchemaOf(id: string): JsonObject | undefined;
  /** Configured servers without known definitions. */
  readonly unknownServers: readonly string[];
}

/**
 * Decides what-if questions about a configuration without a running daemon, from the definitions that were stored last.
 */
export function createOfflinePolicy(config: Config, stored: readonly StoredDefinitions[]): OfflinePolicy {
  const state = stored.reduce(applyStoredDefinitions, initialState(config));
  const { validationSteps } = config.limits;
  const validator = createArgumentValidator({ onSkipped() {}, maxSteps: () => validationSteps, stages: noStages });
  return {
    try: (trial) => tryPolicy(state, validator, trial),
    inputSchemaOf: (id) => state.catalog.findCapability(id)?.definition.inputSchema,
    unknownServers: [...config.servers.keys()].filter((id) => !state.servers.has(id)),
  };
}

/** Definitions of a server with another configuration are ignored. */
export function applyStoredDefinitions(
  state: PlaneState,
  { server, fingerprint, definitions }: StoredDefinitions,
): PlaneState {
  const configured = state.config.servers.get(server);
  if (configured === undefined || definitionsFingerprint(configured) !== fingerprint) return state;
  return reduce(state, { kind: 'definitions_read', server, definitions });
}
