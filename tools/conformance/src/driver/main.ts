// What the suite starts for each client scenario, with the URL of its mock server: the client under test is Portico, and
// this drives it over `/v1` only. Ends with 0 when everything it asked for was answered as a client should get it.
import { takeSlot } from '../slots.js';
import { configFor, configWithDocument, type Scenario } from './config.js';
import { openPlane } from './plane.js';
import { stepsOf } from './steps.js';

const scenario: Scenario = {
  url: process.argv[2] ?? '',
  name: process.env.MCP_CONFORMANCE_SCENARIO ?? '',
  revision: process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25',
  context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'),
};

const release = await takeSlot();
const plane = await openPlane(await configOf(scenario));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => plane.close().then(() => process.exit(1)));
try {
  await stepsOf(scenario.name)(plane, scenario);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n${plane.log()}`);
  process.exitCode = 1;
} finally {
  await plane.close();
  release();
}

/** Whoever configures a metadata document knows the authorization server; here Portico finds it out in a first run. */
async function configOf(given: Scenario): Promise<object> {
  if (given.name !== 'auth/basic-cimd') return configFor(given);
  const scout = await openPlane(configFor(given));
  try {
    return configWithDocument(given, (await scout.loginUrl()).origin);
  } finally {
    await scout.close();
  }
}
