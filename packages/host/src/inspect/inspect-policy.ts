// Applies the rules of a configuration file to a call, without a daemon: by the steps of a call itself, on the stored
// lists of an earlier run.
import { loadConfig } from '@portico/config-host';
import type { JsonObject, PolicyTested, PolicyTestRequest } from '@portico/contracts';
import { createOfflinePolicy } from '@portico/control-plane';
import { testedOf } from '@portico/rest-api';
import { readKeptDefinitions } from '@portico/stores';
import { type StatePlace, stateDirectoryOf } from './inspect-state.js';

export interface InspectedPolicy {
  /** As `POST /v1/config/policy/test`. @throws PorticoError INVALID_ARGS */
  test(request: PolicyTestRequest): PolicyTested;
  /** The schema of a capability; undefined if its definition is not known. */
  inputSchemaOf(id: string): JsonObject | undefined;
  /** Configured servers without stored definitions. */
  readonly unknownServers: readonly string[];
  /** Why what is kept could not be read. */
  readonly problem: string | undefined;
}

/** Starts nothing and writes nothing. @throws ConfigError */
export async function inspectPolicy(place: StatePlace): Promise<InspectedPolicy> {
  const { config } = await loadConfig(place.configFile);
  const { definitions, problem } = await readKeptDefinitions(stateDirectoryOf(place));
  const policy = createOfflinePolicy(config, definitions);
  return {
    test({ id, kind: given, profile, role, args }) {
      const kind = given ?? 'tool';
      const trial = { id, kind, profile: profile ?? null, role: role ?? null, args: args ?? undefined };
      return { ok: true, id, kind, ...testedOf(policy.try(trial)) };
    },
    inputSchemaOf: policy.inputSchemaOf,
    unknownServers: policy.unknownServers,
    problem,
  };
}
