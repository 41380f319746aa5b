// `npm run conformance -- direct|gateway|client [revision [revision of the upstream]]`: runs a part of the conformance
// run and prints its counts. direct: the fixture by itself; gateway: the fixture through Portico's MCP listener;
// client: Portico's own MCP client. Both revisions by default.
import { startGateway } from './gateway.js';
import { formatReport } from './report.js';
import { type Revision, revisions } from './requirements.js';
import { runClientScenarios, runServerScenarios, type SuiteRun } from './suite.js';
import { startUpstream, type Upstream } from './upstream.js';

const parts: Readonly<Record<string, (revision: Revision, upstreamRevision: Revision) => Promise<SuiteRun>>> = {
  direct: (revision) => withUpstream(({ url }) => runServerScenarios(url, revision)),
  gateway: (revision, upstreamRevision) =>
    withUpstream(async ({ url }) => {
      const portico = await startGateway(url, upstreamRevision);
      try {
        return await runServerScenarios(portico.mcpUrl(), revision);
      } finally {
        await portico.stop();
      }
    }),
  client: (revision) => runClientScenarios(revision),
};

async function withUpstream(run: (upstream: Upstream) => Promise<SuiteRun>): Promise<SuiteRun> {
  const upstream = await startUpstream();
  try {
    return await run(upstream);
  } finally {
    await upstream.stop();
  }
}

const [part = '', only, upstreamRevision] = process.argv.slice(2);
const run = parts[part];
const isRevision = (text: string | undefined) => text === undefined || revisions.some((revision) => revision === text);
if (run === undefined || !isRevision(only) || !isRevision(upstreamRevision)) {
  process.stderr.write(`usage: main.ts direct|gateway|client [${revisions.join('|')} [upstream revision]]\n`);
  process.exit(2);
}
for (const revision of revisions.filter((each) => only === undefined || each === only)) {
  const other = revisions.find((each) => each === upstreamRevision);
  const { report, exitCode } = await run(revision, other ?? revision);
  process.stdout.write(`${formatReport(`${part} ${revision}`, report)}\n`);
  if (exitCode !== 0) process.exitCode = 1;
}
