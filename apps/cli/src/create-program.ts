// All commands in the groups that the help shows. Their own flags and actions are in a file each.
import { Command } from 'commander';
import { addTail } from './activity/tail.js';
import { addApprovals } from './approvals/index.js';
import { addAudit } from './audit/index.js';
import { addBudgets } from './budgets/index.js';
import { addCatalog } from './catalog/index.js';
import { addClients } from './clients/index.js';
import { addConnectionFlags, addJsonFlag, type Shell } from './command.js';
import { addConfig } from './config/index.js';
import { addValidate } from './config/validate.js';
import { addDoctor } from './doctor.js';
import { addExplain } from './explain.js';
import { addGrants } from './grants/index.js';
import { addIdempotency } from './idempotency/index.js';
import { addInit } from './init.js';
import { addLock } from './lock/index.js';
import { addNotices } from './notices/index.js';
import { addPolicyTrials } from './policy/index.js';
import { addSampling } from './sampling/index.js';
import { addServices } from './serve.js';
import { addServer } from './server/index.js';
import { addLogin } from './server/login.js';
import { addService } from './service/index.js';
import { addCompletion } from './shell/completion.js';
import { addEvents } from './shell/events.js';
import { addMetrics } from './shell/metrics.js';
import { addStorage } from './storage/migrate.js';
import { addTasks } from './tasks/index.js';
import { addToken } from './token/index.js';
import { addTop } from './top.js';
import { addUi } from './ui.js';
import { addUsage } from './usage/index.js';

const footer = `
Flags before the command count for every command. "portico <command> --help" has examples.

Exit codes: 0 done, 1 the operation failed, 2 wrong usage or configuration, 3 no daemon answers, 130 after Ctrl-C;
"policy test" and "lock" have 10 to 12 for their verdicts.`;

export function createProgram(version: string, shell: Shell): Command {
  const program = new Command('portico').description('A control plane between AI agents and MCP servers.');
  program.version(version).enablePositionalOptions().exitOverride().helpCommand(false);
  program.showSuggestionAfterError().addHelpText('after', footer);
  addJsonFlag(addConnectionFlags(program));
  program.commandsGroup('Services and set-up:');
  addServices(program);
  addService(program, shell);
  addInit(program, shell);
  addDoctor(program, shell);
  addUi(program, shell);
  program.commandsGroup('Catalog and calls:');
  addCatalog(program, shell);
  program.commandsGroup('Decisions and answers:');
  addApprovals(program, shell);
  addNotices(program, shell);
  addBudgets(program, shell);
  addGrants(program, shell);
  addUsage(program, shell);
  addSampling(program, shell);
  addTasks(program, shell);
  program.commandsGroup('Servers and configuration:');
  addServer(program, shell);
  addLogin(program, shell);
  addConfig(program, shell);
  addPolicyTrials(program, shell);
  addLock(program, shell);
  addValidate(program, shell);
  addClients(program, shell);
  addToken(program, shell);
  addStorage(program, shell);
  program.commandsGroup('Causes:');
  addTop(program, shell);
  addTail(program, shell);
  addExplain(program, shell);
  addAudit(program, shell);
  addIdempotency(program, shell);
  addEvents(program, shell);
  addMetrics(program, shell);
  program.commandsGroup('Shell:');
  addCompletion(program, shell);
  return program;
}
