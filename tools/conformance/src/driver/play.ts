// One client scenario: the client under test is Portico, and this drives it over `/v1` only.
import { configFor, configWithDocument, type Scenario } from './config.js';
import { openPlane } from './plane.js';
import { stepsOf } from './steps.js';

/**
 * Asks Portico what the scenario wants asked.
 * @param signal ends the scenario early
 * @throws when an answer is not what a client should get; the message holds Portico's log
 */
export async function playScenario(scenario: Scenario, signal: AbortSignal): Promise<void> {
  const plane = await openPlane(await configOf(scenario));
  const stop = () => void plane.close();
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    await stepsOf(scenario.name)(plane, scenario);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.stack : error}\n${plane.log()}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    await plane.close();
  }
}

/** A metadata document is configured with its authorization server, which Portico finds out in a first run. */
async function configOf(given: Scenario): Promise<object> {
  if (given.name !== 'auth/basic-cimd') return configFor(given);
  const scout = await openPlane(configFor(given));
  try {
    return configWithDocument(given, (await scout.loginUrl()).origin);
  } finally {
    await scout.close();
  }
}
