// The wizard, or its defaults: what is found, what is chosen, and what is written.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { toPlainText } from '../output/plain-text.js';
import { isOnTerminal, loadScreen } from '../screens/shell/load-screen.js';
import { findServers, openClients, UnknownClient } from './find-servers.js';
import { offerClients } from './offer-clients.js';
import { type PlannedFile, planFile } from './plan.js';
import { FileTaken, sayTaken, writeConfigFile } from './write-file.js';

export interface InitOptions {
  readonly yes?: true;
  readonly from?: readonly string[];
  readonly output: string;
  readonly empty?: true;
  readonly force?: true;
  /** Whether servers of clients that are attached are moved behind Portico; undefined asks. */
  readonly move?: boolean;
  readonly port: number;
}

/** @returns the exit code: 0 when the file is written, 1 when it is not, 2 for flags that do not go together */
export function runInit(options: InitOptions, stopped: AbortSignal): Promise<number> {
  return run(options, stopped).catch(reportRefusal);
}

async function run(options: InitOptions, stopped: AbortSignal): Promise<number> {
  const { yes, empty, from = [], output, force, port, move } = options;
  if (empty === true && from.length > 0) return refuse('--empty takes no servers; leave --from out', 2);
  if (yes === true && move === true) return refuse(noMove, 2);
  if (yes !== true && !isOnTerminal()) return refuse('init asks on a terminal; in a pipe use: portico init --yes', 2);
  if (yes === true && force !== true && existsSync(output)) return refuse(sayTaken(output), 1);
  const clients = openClients(resolve(output));
  const found = empty === true ? { servers: [], left: [] } : await findServers(clients, from);
  if (yes === true) {
    const plan = planFile({ servers: found.servers, port, asksBeforeDestroying: true, redacts: true, locks: true });
    for (const text of found.left) process.stderr.write(`left out: ${toPlainText(text)}\n`);
    return write(output, plan, force === true);
  }
  const { showWizard } = await loadScreen(() => import('../screens/init/show-init.js'));
  const { startWizard } = await import('../screens/init/wizard.js');
  const checkFile = (file: string) => (force !== true && existsSync(file) ? sayTaken(file) : null);
  const end = await showWizard(startWizard(found, output, port), checkFile);
  if (end.kind === 'cancel') return refuse('left; nothing was written', 1);
  const code = await write(end.file, end.plan, force === true);
  if (code === 0) await offerClients(end.file, move, stopped).catch(reportUnattached);
  return code;
}

const noMove =
  'with --yes no AI client is attached, so that --move has nothing to move; use: portico clients attach CLIENT --yes --move';

async function write(output: string, plan: PlannedFile, force: boolean): Promise<number> {
  const [issue] = plan.issues;
  if (issue !== undefined) return refuse(`${issue.path}: ${issue.message}; nothing was written`, 1);
  await writeConfigFile(resolve(output), plan, force);
  const file = toPlainText(output);
  const note = plan.holdsSecrets ? '; it holds secrets and is readable by you alone' : '';
  process.stdout.write(
    `wrote ${file}${note}\n\nnext:\n  portico doctor --config ${file}\n  portico daemon --config ${file}\n${lockStep(plan, file)}  portico clients list\n`,
  );
  return 0;
}

/** While the daemon runs: the lock is written from what the servers list. */
function lockStep({ locks }: PlannedFile, file: string): string {
  return locks ? `  portico lock init --config ${file}\n` : '';
}

/** The file is written nevertheless. */
function reportUnattached(error: unknown): void {
  if (!(error instanceof Error && 'code' in error)) throw error;
  process.stderr.write(`portico: not every AI client was attached: ${toPlainText(error.message)}\n`);
}

function reportRefusal(error: unknown): number {
  if (error instanceof UnknownClient) return refuse(error.message, 2);
  if (error instanceof FileTaken) return refuse(error.message, 1);
  if (error instanceof Error && 'code' in error) return refuse(`nothing was written: ${error.message}`, 1);
  throw error;
}

function refuse(message: string, code: number): number {
  process.stderr.write(`portico: ${toPlainText(message)}\n`);
  return code;
}
