// Administration without a role: the operator token as the configuration in force wants it, and the owners of
// connections over loopback.
import type { Config } from '@portico/contracts';
import type { Log } from '@portico/control-plane';
import { isLoopback } from '@portico/policy-engine';
import type { ConsoleSessions } from '@portico/rest-api';
import { keepSecret, removeSecret } from '@portico/stores';
import type { KnownSecrets } from '@portico/upstream-mcp';
import { createPeerCheck, type PeerCheck } from '../peers/peer-check.js';
import { hasSocketTables } from '../peers/read-tables.js';
import { describeAccess } from './describe-access.js';
import { createOperatorAccess, type OperatorAccess } from './operator-access.js';

export interface OpenOperator {
  readonly operatorAccess: OperatorAccess;
  /** Undefined if the system does not report the owner of a connection. */
  readonly peers: PeerCheck | undefined;
  readonly consoleSessions: ConsoleSessions;
  /** Keeps the token of the state directory as the configuration has it from now on. */
  follow(config: Config): void;
  /** The access rules, for the log, the ready line and `portico doctor`. */
  describe(config: Config): readonly string[];
}

export interface OperatorPlace {
  readonly stateDirectory: string;
  /** Address of the HTTP facade. */
  readonly bind: string;
  readonly log: Log;
  /** Keeps the token out of records and logs from then on. */
  readonly knownSecrets: Pick<KnownSecrets, 'learn'>;
}

/** Only for the process that holds the state directory. */
export async function openOperator(
  config: Config,
  { stateDirectory, bind, log, knownSecrets }: OperatorPlace,
): Promise<OpenOperator> {
  const operatorAccess = createOperatorAccess();
  const canIdentify = await hasSocketTables();
  const peers = canIdentify ? createPeerCheck(process.geteuid?.() ?? 0) : undefined;
  const keep = async ({ access }: Config) => {
    if (access.operatorToken) {
      const token = await keepSecret(stateDirectory, 'operator-token');
      knownSecrets.learn('access.operatorToken', [token]); // an agent that has read it may send it to a tool
      return operatorAccess.setToken(token);
    }
    operatorAccess.setToken(undefined);
    await removeSecret(stateDirectory, 'operator-token'); // the command would send it where it means nothing
  };
  await keep(config);
  let last = Promise.resolve();
  return {
    operatorAccess,
    peers,
    consoleSessions: {
      issueCode: operatorAccess.issueCode,
      async openSession(code, connection) {
        const isChecked = isLoopback(bind) && peers !== undefined && connection !== undefined;
        if (isChecked && (await peers.look(connection)).kind !== 'own') return undefined;
        return operatorAccess.redeem(code);
      },
    },
    follow(next) {
      last = last
        .then(() => keep(next))
        .catch((error: unknown) => log('error', 'the operator token could not be kept', { error }));
    },
    describe: (now) => describeAccess(now, bind, canIdentify),
  };
}
