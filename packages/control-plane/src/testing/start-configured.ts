// A plane whose configuration is kept in the test, so that it can be changed. For tests of this package only.
import { type JsonObject, resolveConfig } from '@portico/contracts';
import { createManualClock, createMemoryConnector, type MemoryServer } from '@portico/upstream-pool';
import { operator } from '../call/call.js';
import { createMemoryConfigSource, InvalidConfig, type MemoryConfigSource } from '../configuration/config-source.js';
import { createControlPlane } from '../control-plane.js';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, correlation, type LogLine, type PlaneStores, stopped, toCall } from './start-plane.js';

export const author = { identity: operator, correlation };

export function memorySource(file: JsonObject): MemoryConfigSource {
  return createMemoryConfigSource(file, (next) => {
    const resolved = resolveConfig(next);
    if (!resolved.ok) throw new InvalidConfig(resolved.issues);
    return resolved.value;
  });
}

/** @param servers that can be connected to, whether or not they are configured */
export async function startConfigured(
  servers: Readonly<Record<string, MemoryServer>>,
  file: JsonObject,
  stores: PlaneStores = createMemoryStores(stopped),
  run = 1,
) {
  const clock = createManualClock();
  const connector = createMemoryConnector(servers);
  const source = memorySource(file);
  const log: LogLine[] = [];
  let count = run * 0x100000; // no id of one run is an id of another
  const plane = createControlPlane(
    {
      connector,
      clock,
      randomHex(characters) {
        count += 1;
        return count.toString(16).padStart(characters, '0');
      },
      log: (level, message, fields) => log.push({ level, message, fields }),
      ...stores,
      notifyApproval: () => {},
      configSource: source,
    },
    source.current().config,
  );
  await plane.recover();
  plane.start();
  await clock.advance(0);
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    await clock.advance(0);
    return await work;
  };
  return {
    plane,
    clock,
    source,
    log,
    ...stores,
    server: connector.server,
    configuration: plane.configuration,
    settled,
    outcome: (input: CallInput) => plane.execute(toCall(input)),
    /** The records of changes, oldest first. */
    changes: (): readonly Readonly<Record<string, unknown>>[] =>
      stores.audit
        .kept()
        .flatMap(({ event_type, status, error_code, server_id, details }) =>
          event_type === 'config_change' ? [{ status, error_code, server_id, ...details }] : [],
        ),
    statusOf: (id: string) => plane.servers().find((server) => server.id === id)?.status,
  };
}
