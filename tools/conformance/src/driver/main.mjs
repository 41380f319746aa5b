// The program that the suite starts for each client scenario, with the URL of its mock server. The scenario is played
// by the process that runs the suite (serve-scenarios.ts), where Portico is loaded already. Ends with 0 if that says
// `ok`.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT, PORTICO_SCENARIOS_PORT } =
  process.env;

const socket = connect(Number(PORTICO_SCENARIOS_PORT), '127.0.0.1');
await once(socket, 'connect');
const scenario = {
  url: process.argv[2] ?? '',
  name: MCP_CONFORMANCE_SCENARIO ?? '',
  revision: MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25',
  context: JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}'),
};
socket.write(`${JSON.stringify(scenario)}\n`);
const verdict = await text(socket);
if (verdict !== 'ok\n') {
  process.stderr.write(`${verdict || 'the scenario ended without a verdict'}\n`);
  process.exitCode = 1;
}
