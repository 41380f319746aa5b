// `node tools/build/stage.mjs NAME [arguments]`: installs and builds what is missing, then runs one stage of `npm test`.
import { runStage, stopSignal } from './run-stage.mjs';
import { stages } from './stages.mjs';
import { openTempFolder } from './temp-folder.mjs';
import { concludeRun, openReports, removeReport } from './test-report.mjs';
import { buildWhatIsStale, installWhatIsMissing } from './workspace.mjs';

const startedAt = new Date();
const [name = '', ...args] = process.argv.slice(2);
const stage = stages[name];
if (stage === undefined) {
  process.stderr.write(`"${name}" is not a stage; choose one of ${Object.keys(stages).join(', ')}\n`);
  process.exit(2);
}
const tempFolder = openTempFolder();
removeReport();
installWhatIsMissing();
if (stage.needsBuild) buildWhatIsStale();
openReports();
const signal = stopSignal();
const result = await runStage(name, stage, { args, isShown: true, signal, tempFolder });
process.exit(concludeRun({ startedAt, results: [result], isStopped: signal.aborted }));
