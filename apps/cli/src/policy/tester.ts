// Evaluates a call against the policy: by the daemon, a host of this process, or the configuration file alone.
import type { JsonObject, PolicyTested, PolicyTestRequest } from '@portico/contracts';
import type { CommonOptions } from '../command.js';
import { configFileOf } from '../connection-options.js';
import { CommandFailure, UsageFailure } from '../failures.js';
import { findInputSchema } from '../input/json-arguments.js';

export interface PolicyTester {
  test(request: PolicyTestRequest): Promise<PolicyTested>;
  /** Undefined if it cannot be had. */
  inputSchemaOf(id: string): Promise<JsonObject | undefined>;
  /** The part that may be missing from its answers; undefined if nothing is missing. */
  readonly gap: string | undefined;
  close(): Promise<void>;
}

export interface TesterOptions extends CommonOptions {
  readonly offline?: true;
}

/** @throws UsageFailure, NoDaemon, ConfigError, StateDirectoryError */
export async function openTester(options: TesterOptions, stopped: AbortSignal): Promise<PolicyTester> {
  if (options.offline === true) return offlineTester(options);
  const { openConnection } = await import('../connection.js');
  // The profile is part of what is asked, and may be one that the caller of this command does not have.
  const { client, close } = await openConnection({ ...options, profile: undefined, inProcess: 'fallback', stopped });
  return {
    test: (request) => client.testPolicy(request, { signal: stopped }),
    inputSchemaOf: (id) => findInputSchema(client, id),
    gap: undefined,
    close,
  };
}

async function offlineTester(options: TesterOptions): Promise<PolicyTester> {
  if (options.url !== undefined) throw new UsageFailure('--offline and --url exclude each other');
  const { inspectPolicy, PorticoError } = await import('@portico/host');
  const { stateDir } = options;
  const policy = await inspectPolicy({ configFile: configFileOf(options), stateDir, env: process.env });
  const unknown = policy.unknownServers;
  const gap =
    unknown.length === 0 ? undefined : `nothing is kept of ${unknown.join(', ')}: what they list is not known`;
  return {
    async test(request) {
      try {
        return policy.test(request);
      } catch (error) {
        if (!(error instanceof PorticoError)) throw error;
        throw new CommandFailure(`${error.code}: ${error.message}`); // as a daemon answers it
      }
    },
    inputSchemaOf: async (id) => policy.inputSchemaOf(id),
    gap: [policy.problem, gap].filter((each) => each !== undefined).join('; ') || undefined,
    close: async () => {},
  };
}
