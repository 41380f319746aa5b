// Every problem that `portico doctor` can find: its meaning, its cause and its fix. The one source of `--explain` and
// of docs/troubleshooting.md.

export interface Page {
  readonly title: string;
  readonly meaning: string;
  readonly causes: readonly string[];
  /** The first is what to do next. */
  readonly fixes: readonly [string, ...string[]];
}

export const pages = {
  'node-too-old': {
    title: 'Node is older than Portico needs',
    meaning: 'Portico and its libraries use what Node has since 20.19. With an older one they fail in places.',
    causes: ['The shell, or the AI client, finds another Node first than the one that was installed last.'],
    fixes: ['Install Node 20.19 or later.', 'Check `node --version` in the shell that starts Portico.'],
  },
  'config-missing': {
    title: 'There is no configuration file',
    meaning: 'Portico starts from a file: `mcp_servers.json` in the working directory, unless another is named.',
    causes: ['The command runs in another directory.', 'No configuration was written yet.'],
    fixes: ['Name the file with `--config FILE`.', 'Write a first one with `portico init`.'],
  },
  'config-invalid': {
    title: 'The configuration cannot be used',
    meaning:
      'The file is no JSON, or a field of it has a value that it may not have. A daemon refuses to start with it.',
    causes: ['A comma or a quote is missing.', 'A field holds another type, or an id has a character it may not have.'],
    fixes: [
      'Correct the fields that are named.',
      'Compare it with docs/configuration.md, or let an editor check it by docs/config.schema.json.',
    ],
  },
  'config-unknown-fields': {
    title: 'The configuration has fields without effect',
    meaning: 'Fields that Portico does not know are kept, and do nothing. A misspelt policy protects nothing.',
    causes: ['A field is misspelt or in the wrong block.', 'The file was written for another version.'],
    fixes: ['Correct or remove the fields that are named.'],
  },
  'search-model-unusable': {
    title: 'The built-in model of search cannot be used',
    meaning: 'The file of the model is missing or damaged. Search uses words only, and finds less.',
    causes: ['The installation is not whole, or a program has changed or removed the file.'],
    fixes: ['Install Portico again.', 'Set `search.semantic` to `off` where words are enough.'],
  },
  'rule-unmatched': {
    title: 'A rule or an alias matches nothing',
    meaning:
      'No tool, resource or prompt that the servers list has a name that matches the pattern. A misspelt rule protects nothing.',
    causes: ['The pattern is misspelt.', 'The server has renamed the tool, or lists it at some times only.'],
    fixes: [
      'Compare the pattern with `portico list`, which shows what the policy does not deny, and correct or remove it.',
      'Leave it where the server lists the tool at some times only.',
    ],
  },
  'notice-failed': {
    title: 'A notice of an approval was not delivered',
    meaning:
      'The service of a receiver refused the last notice or did not answer, after every try. The ticket still waits, in the console and in `portico approvals`.',
    causes: [
      'The token, the topic, the chat or the address of the webhook is wrong or was revoked.',
      'The service is down, cannot be reached from here, or limits how much it takes.',
    ],
    fixes: [
      'Run `portico notices test ID` and read what the service answers.',
      'Compare the variables that the receiver names with what the service shows, and start the daemon again.',
    ],
  },
  'notice-links-local': {
    title: 'Links in notices open on this machine only',
    meaning:
      'Without `approvals.publicUrl` links lead to the address that the daemon listens on, which a phone does not reach.',
    causes: ['The receivers were configured before the daemon was made reachable.'],
    fixes: [
      'Set `approvals.publicUrl` to the address at which your other devices reach the console.',
      'Leave it where notices are read on this machine only.',
    ],
  },
  'lock-missing': {
    title: 'There is no lock file',
    meaning:
      'The configuration has a lock, and its file is not there. In mode `warn` nothing is compared; in mode `enforce` everything is held, and `/readyz` is 503.',
    causes: ['It was not written yet.', 'It was not checked out with the configuration, or `lock.file` names another.'],
    fixes: [
      'Look at the findings, then write it with `portico lock init` while the daemon runs, and commit it.',
      'Restore it from version control, or correct `lock.file`.',
    ],
  },
  'lock-unusable': {
    title: 'The lock file cannot be used',
    meaning:
      'It has marks of a merge, was changed by hand, is of a newer Portico, cannot be read, or has none of the configured servers. In mode `enforce` everything is held until it can be used.',
    causes: [
      'Two branches have changed the same definition, and the conflict is not resolved.',
      'A program or a person has edited it, or an older Portico reads what a newer one has written.',
    ],
    fixes: [
      'Run `portico lock verify --offline`, which names the line; resolve the conflict by keeping one side whole, or restore the file from version control.',
      'Where it cannot be restored, remove it, review all again and run `portico lock init`.',
    ],
  },
  'definitions-held': {
    title: 'Definitions are held',
    meaning:
      'The server lists other definitions than the accepted ones. The changed ones are neither listed nor callable: a call is 403 with `error.reason` `definition_changed` or `definition_unapproved`.',
    causes: ['The server was updated.', 'The server was changed without authorization, or changes its own list.'],
    fixes: [
      'Read what changed with `portico lock diff --server ID` or on the console page *Safety*, and accept it with `portico lock accept` if it is what you want.',
      'Install the version again that was accepted: its definitions are used again by themselves.',
    ],
  },
  'definitions-differ': {
    title: 'Definitions differ from the lock',
    meaning:
      'The server lists other definitions than the accepted ones, and they stay in use: the mode is `warn`, the class is one of `lock.accept`, or no daemon was asked.',
    causes: [
      'The server was updated, and the lock was not.',
      'In CI: the configuration was changed, and the lock was not committed with it.',
    ],
    fixes: [
      'Read what changed with `portico lock diff --server ID`, accept it with `portico lock accept`, and commit the lock.',
      'Set `lock.mode` to `enforce` to have it held until then.',
    ],
  },
  'definition-finding': {
    title: 'A definition has something that a person should read',
    meaning:
      'A few rules look for characters that are not seen, words that are addressed to a model, names that two servers share, and annotations that a name contradicts ([rules](tools-lock.md#reviewing)). A finding blocks nothing, and there can be more than the rules find.',
    causes: ['The server is careless with its texts.', 'The server wants models to do what their users do not.'],
    fixes: [
      'Read the definition with `portico lock diff --server ID` or on the console page *Safety*.',
      'Deny the tool by `policy.deny`, or remove the server, where the text is not harmless.',
    ],
  },
  'environment-unset': {
    title: 'An environment variable is not set',
    meaning:
      'The configuration takes a token or a key from the environment, and it is not there. The daemon refuses to start.',
    causes: [
      'The variable is set in another shell only.',
      'A desktop program starts Portico without the environment of a shell.',
    ],
    fixes: [
      'Set the variable where Portico is started.',
      'Or name the secret by `keychain://` or `op://` in its place.',
    ],
  },
  'secret-unresolved': {
    title: 'A secret cannot be had',
    meaning: 'The server whose field names it cannot be connected; all others work.',
    causes: [
      'The variable behind `env://` is not set.',
      'The entry is not in the keyring.',
      '`op` is not installed or not signed in.',
    ],
    fixes: ['Put the secret where its URI says, or correct the URI.', 'For `op://`: run `op signin`.'],
  },
  'state-unwritable': {
    title: 'The state directory cannot be written',
    meaning: 'Portico keeps tickets, idempotency records and logins there, and does not start without it.',
    causes: ['It belongs to another user.', 'The disk is mounted read-only, or a file is in its place.'],
    fixes: ['Give it to the user who runs Portico, or name another with `--state-dir DIR`.'],
  },
  'storage-unencrypted': {
    title: 'Traffic to the database may cross the network in the clear',
    meaning:
      'The address in storage.url names another machine without TLS, so the driver connects in the clear. An attacker on the network can read audit records, tickets and the password.',
    causes: ['The address was copied from a set-up on one machine.'],
    fixes: [
      'Add `sslmode=verify-full` to storage.url.',
      'Write `sslmode=disable` where a tunnel or a private link protects the way.',
    ],
  },
  'state-damaged': {
    title: 'The state database is damaged',
    meaning: '`state.db` in the state directory is no whole SQLite database. A daemon does not start with it.',
    causes: ['The disk failed or was full.', 'Another program wrote the file, or a copy of it was cut off.'],
    fixes: [
      'Stop the daemon, and put `state.db` back from a backup.',
      'Without a backup, move the file away: Portico then starts with no tickets, idempotency records and logins.',
    ],
  },
  'storage-unreachable': {
    title: 'The database of storage.url does not answer',
    meaning: 'The daemon keeps its state in that PostgreSQL database, and does not start without it.',
    causes: ['The server is down, or the address is wrong.', 'It refuses the user or the password.'],
    fixes: ['Check that the database runs and that storage.url names it.', 'Try the same address with `psql`.'],
  },
  'state-open-to-others': {
    title: 'Others can look into the state directory',
    meaning:
      'It holds answers of tools and logins. Portico makes it 0700 at each start; something has opened it since.',
    causes: ['It was copied or restored with other permissions.'],
    fixes: ['Run `chmod 700` on the directory, or start the daemon once.'],
  },
  'port-taken': {
    title: 'Another program listens on the port',
    meaning: 'Something answers there that is not Portico. A daemon cannot listen there.',
    causes: ['Another service has the same port.'],
    fixes: ['Set `port` in the configuration, or start the daemon with `--port N`.', 'Or end the other program.'],
  },
  'daemon-refuses': {
    title: 'The daemon does not let us in',
    meaning: 'A Portico daemon answers and asks for a token, or the token may not see servers.',
    causes: [
      'The configuration has `rbac`, or the daemon is bound beyond loopback.',
      'The token is wrong or has ended.',
    ],
    fixes: ['Give a token with `--token TOKEN`.'],
  },
  'audit-broken': {
    title: 'The audit log is not whole',
    meaning:
      'A record was changed, removed or cut off, or the file is not an audit log. Nothing after that record is proved.',
    causes: [
      'A line of the file was changed by hand or by another program.',
      'A disk failed.',
      'Two services wrote the same file.',
    ],
    fixes: [
      'Keep a copy of the file as it is, and run `portico audit verify FILE` for the first bad record.',
      'Set another `audit.filePath`, so that a new log begins.',
    ],
  },
  'audit-volatile': {
    title: 'The audit log is in memory',
    meaning: 'Records of calls, approvals and changes are lost when the daemon stops.',
    causes: ['The configuration has neither `audit.filePath` nor `storage.url`.'],
    fixes: ['Set `"audit": { "filePath": ".portico/audit.jsonl" }` in the configuration, and restart the daemon.'],
  },
  'server-failed': {
    title: 'A server cannot be started or reached',
    meaning: 'Its tools, resources and prompts are not there until it can.',
    causes: [
      'The command is not installed, or not on PATH.',
      'The address is wrong, or needs a token.',
      'It takes longer than the limit to start.',
    ],
    fixes: [
      'Run its command by hand and read what it says.',
      'For a server with `url`: check that the address answers from this machine, and its `url`, `headers` and `auth`.',
      'Check `command`, `args` and `env` of a server with a command.',
    ],
  },
  'server-login': {
    title: 'A server needs a person to log in',
    meaning: 'It uses OAuth. A check starts no login; the running daemon does, and says where.',
    causes: ['No user has logged in yet, or the login ended.'],
    fixes: ['Start the daemon, and run `portico login` with the id of the server.'],
  },
  'server-circuit-open': {
    title: 'The circuit of a server is open',
    meaning: 'It failed several times in a row. Calls are refused until its cooldown is over and a probe has worked.',
    causes: ['The server hangs or crashes.', 'It was away and is back since a moment.'],
    fixes: ['Read its log with `portico server logs ID`, then `portico server restart ID`.'],
  },
  'server-disabled': {
    title: 'A server has crashed, or is disabled',
    meaning:
      'It was restarted as often as `maxRestarts` allows and did not stay. It is tried once every `supervisor.retryGivenUpSecs` (300); with `autoRestart` off it is not started again by itself.',
    causes: ['It crashes at its start.', '`autoRestart` is off and it ended.'],
    fixes: ['Read its log with `portico server logs ID`, fix the cause, then run `portico server restart ID`.'],
  },
  'server-definition': {
    title: 'A server has a definition that breaks the MCP schema',
    meaning:
      'Clients that check refuse a whole list for one such entry. Portico leaves the entry out and serves the rest.',
    causes: ['A defect of the server.', 'A server that was written for a client which does not check.'],
    fixes: ['Report the message to the maintainers of the server; `portico server list --json` shows all of them.'],
  },
  'server-refused': {
    title: 'A server asked a question that no client could answer',
    meaning:
      'A server may ask its caller for a message of a model, for input, or for roots. These questions were refused with the error that MCP has for it, and most servers then do without.',
    causes: [
      'The MCP client that called does not declare the capability, or the call was a step of a batch.',
      'The configuration of the server leaves the kind out (`clientCapabilities`), and the server asks nevertheless.',
      'The server asked for itself, while no call was running.',
    ],
    fixes: [
      'Set what the message names, if the server does not do what it should without the answer.',
      'Or leave the kind out of `clientCapabilities` of the server: one that decides at its start then knows.',
    ],
  },
  'client-bypasses': {
    title: 'An AI client reaches servers without Portico',
    meaning:
      'It is attached, and its own file has servers too. Calls of these pass no policy, wait for no approval and leave no audit record; a server that Portico has as well is there twice.',
    causes: [
      'The servers of the client were not moved behind Portico when it was attached.',
      'A server was added to its file since.',
    ],
    fixes: [
      'Move them: `portico clients move ID`; `portico clients move ID --dry-run` shows what would be done.',
      'One that cannot be moved is named with the reason: change its entry accordingly, or add it with `portico server add` and remove the entry.',
    ],
  },
  'client-entry-differs': {
    title: 'An AI client runs another Portico',
    meaning: 'It has an entry for Portico that is not the one this program would write for this configuration.',
    causes: [
      'It was attached for another configuration.',
      'Portico or Node has moved since, so the entry may name a program that no longer exists.',
    ],
    fixes: ['Attach it again: `portico clients attach ID`.'],
  },
} as const satisfies Readonly<Record<string, Page>>;

export type ProblemCode = keyof typeof pages;

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(pages, text);
}

export const problemCodes = Object.keys(pages) as readonly ProblemCode[]; // of a literal, whose keys are these
