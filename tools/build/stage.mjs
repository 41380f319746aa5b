// `node tools/build/stage.mjs NAME [arguments]`: installs and builds what is missing, then runs one stage of `npm test`.
import { mkdirSync } from 'node:fs';
import { runStage, stopSignal } from './run-stage.mjs';
import { reports, stages } from './stages.mjs';
import { openTempFolder } from './temp-folder.mjs';
import { buildWhatIsStale, installWhatIsMissing } from './workspace.mjs';

const [name = '', ...args] = process.argv.slice(2);
const stage = stages[name];
if (stage === undefined) {
  process.stderr.write(`"${name}" is not a stage; choose one of ${Object.keys(stages).join(', ')}\n`);
  process.exit(2);
}
installWhatIsMissing();
if (stage.needsBuild) buildWhatIsStale();
mkdirSync(reports, { recursive: true });
const { failed } = await runStage(name, stage, {
  ...{ args, isShown: true, signal: stopSignal() },
  tempFolder: openTempFolder(),
});
process.exit(failed === 0 ? 0 : 1);
