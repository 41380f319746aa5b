// Derives findings from observations, with one pure function for each subject.
import type { DirectServer, FrameCounts, Issue, NoticeStanding, RefusalReason, ServerInfo } from '@portico/contracts';
import type { InspectedConfig, InspectedState, Probe, VerificationReport } from '@portico/host';
import { nextStep, sayDirect } from '../clients/direct.js';
import { type Finding, ok, problem, warning } from './findings.js';
import { judgeLock, type LockSeen } from './judge-lock.js';
import { pages } from './pages.js';

const leastNode = [20, 19] as const;

export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isOld = major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]);
  return isOld ? problem('node-too-old', 'node', `${version}, needs ${leastNode.join('.')}`) : ok('node', version);
}

export function judgeConfig(file: string, { config, warnings, environment, secrets }: InspectedConfig): Finding[] {
  const fine = ok('configuration', `${file}: ${config.servers.size} servers`);
  return [
    fine,
    ...warnings.map((issue) => warning('config-unknown-fields', 'configuration', say(issue))),
    ...environment.map((issue) => problem('environment-unset', 'environment', say(issue))),
    ...secrets.map((issue) => problem('secret-unresolved', 'secrets', say(issue))),
    ...judgeLinks(config.approvals),
  ];
}

/** Links in notices open on other devices only where the address is one that those reach. */
function judgeLinks({ publicUrl, notices }: InspectedConfig['config']['approvals']): Finding[] {
  if (notices.length === 0 || publicUrl !== null) return [];
  return [
    warning(
      'notice-links-local',
      'notices',
      'approvals.publicUrl is not set: links in notices open on this machine only',
    ),
  ];
}

/** @param unencrypted a warning, where the way to the database is not protected */
export function judgeStorage(unencrypted: string | undefined): Finding[] {
  return unencrypted === undefined ? [] : [warning('storage-unencrypted', 'storage', unencrypted)];
}

/** @param reason why the built-in model of search cannot be used; undefined if it can, or is not wanted */
export function judgeSearchModel(reason: string | undefined): Finding[] {
  return reason === undefined ? [] : [warning('search-model-unusable', 'search', reason)];
}

/** @param reason why the database of storage.url does not answer */
export function judgeReach(reason: string | undefined): Finding[] {
  return reason === undefined ? [] : [problem('storage-unreachable', 'storage', reason)];
}

export function judgeBadConfig(file: string, issues: readonly Issue[], exists: boolean): Finding[] {
  if (!exists) return [problem('config-missing', 'configuration', `${file} is not there`)];
  return issues.map((issue) => problem('config-invalid', 'configuration', say(issue)));
}

export function judgeState(state: InspectedState): Finding {
  const { directory, exists, isDirectory, isWritable, isOpenToOthers, holder, damage } = state;
  if (!isWritable || (exists && !isDirectory)) return problem('state-unwritable', 'state', directory);
  if (damage !== undefined) return problem('state-damaged', 'state', damage);
  if (isOpenToOthers) return warning('state-open-to-others', 'state', directory);
  if (holder !== null) return ok('state', `${directory}, used by process ${holder}`);
  return ok('state', exists ? directory : `${directory}, not made yet`);
}

/** @param rules who a daemon on loopback lets in without a role */
export function judgeAccess(rules: readonly string[]): Finding {
  return ok('access', rules.join('; '));
}

export type NoticesSeen = readonly Pick<NoticeStanding, 'name' | 'origin' | 'failed' | 'last_error'>[];

export type DaemonSeen =
  | { readonly kind: 'absent' | 'other' }
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'here';
      readonly servers: readonly ServerInfo[];
      /** Counts of the messages that the inspector keeps; undefined while it is off. */
      readonly inspector?: FrameCounts | undefined;
      /** Rules that match nothing, by their field. */
      readonly unmatched?: readonly { readonly path: string; readonly pattern: string }[];
      readonly notices?: NoticesSeen;
      readonly lock?: LockSeen | undefined;
    };

/** For a configuration that leaves the port to the system. */
export function judgeNoDaemon(): Finding {
  return ok('daemon', 'none runs');
}

export function judgeDaemon(url: string, seen: DaemonSeen): Finding[] {
  switch (seen.kind) {
    case 'absent':
      return [ok('daemon', `none at ${url}; the port is free`)];
    case 'other':
      return [problem('port-taken', 'daemon', `something else answers at ${url}`)];
    case 'refused':
      return [warning('daemon-refuses', 'daemon', `${url}: ${seen.message}`)];
    case 'here':
      return [
        ok('daemon', `answers at ${url}`),
        ...judgeInspector(seen.inspector),
        ...seen.servers.flatMap(judgeRunning),
        ...(seen.unmatched ?? []).map(({ path, pattern }) =>
          warning('rule-unmatched', 'configuration', `${path}: "${pattern}" matches nothing that the servers list`),
        ),
        ...(seen.notices ?? []).flatMap(judgeNotices),
        ...(seen.lock === undefined ? [] : judgeLock(seen.lock)),
      ];
  }
}

/** A reminder: the inspector keeps messages in memory until an operator turns it off. */
function judgeInspector(counts: FrameCounts | undefined): Finding[] {
  if (counts === undefined) return [];
  const { frames, bytes, max_bytes, dropped, reader_dropped } = counts;
  const room = `${(bytes / mebibyte).toFixed(1)} of ${max_bytes / mebibyte} MB`;
  const lost = `${dropped + reader_dropped} dropped`;
  return [ok('inspector', `is on: ${frames} messages are kept in ${room}, ${lost}`)];
}

const mebibyte = 1024 * 1024;

/** A receiver whose last notice was given up. */
function judgeNotices({ name, origin, failed, last_error }: NoticesSeen[number]): Finding[] {
  if (last_error === null) return [];
  const message = `${origin} did not take the last notice: ${last_error} (${failed} given up since the start)`;
  return [warning('notice-failed', `notices ${name}`, message, { names: { ID: name } })];
}

function judgeRunning(server: ServerInfo): Finding[] {
  return [...judgeConnection(server), ...judgeDefinitions(server), ...judgeRefused(server)];
}

/** Definitions that are served in part or not at all, each with its reason. */
function judgeDefinitions({ id, definition_problems = [] }: ServerInfo): Finding[] {
  return definition_problems
    .filter(({ left_out }) => left_out)
    .map(({ list, name, reason }) =>
      warning('server-definition', `running ${id}`, `leaves "${name}" out of its ${list}: ${reason}`),
    );
}

type Method = NonNullable<ServerInfo['refused_requests']>[number]['method'];

const capabilities: Readonly<Record<Method, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** Why a question was refused, and what lets it be answered, or not be asked. */
const refusals: Readonly<Record<RefusalReason, (method: Method, id: string) => string>> = {
  caller_cannot_answer: (method, id) => {
    const silence = `set mcpServers.${id}.clientCapabilities to {"${capabilities[method]}": false} if it should not ask`;
    const answered =
      method === 'sampling/createMessage'
        ? 'set sampling.provider, or sampling.tickets: "always", to have it answered'
        : `call it by a client that declares ${capabilities[method]} to have it answered`;
    return `its callers could not be asked; ${answered}; ${silence}`;
  },
  not_declared_to_server: (method, id) =>
    `mcpServers.${id}.clientCapabilities leaves out ${capabilities[method]}; remove that to have it answered`,
  outside_of_calls: () => 'no call was running whose caller could be asked',
};

/** Questions of the server that were refused. */
function judgeRefused({ id, refused_requests = [] }: ServerInfo): Finding[] {
  return refused_requests.map(({ method, reason, count }) => {
    const times = count === 1 ? 'once' : `${count} times`;
    return warning(
      'server-refused',
      `running ${id}`,
      `asked ${method} ${times} and was refused: ${refusals[reason](method, id)}`,
    );
  });
}

function judgeConnection({ id, status, given_up, circuit, last_error, login_url }: ServerInfo): Finding[] {
  const subject = `running ${id}`;
  const why = last_error === undefined ? '' : `: ${last_error}`;
  if (login_url !== undefined)
    return [
      warning('server-login', subject, 'waits for a login', { next: `Run \`portico login ${id}\` and open the link.` }),
    ];
  if (given_up === true) return [problem('server-disabled', subject, `has crashed${why}`, { names: { ID: id } })];
  if (status === 'disabled') return [problem('server-disabled', subject, `is disabled${why}`, { names: { ID: id } })];
  if (circuit.state === 'open')
    return [problem('server-circuit-open', subject, `refuses calls${why}`, { names: { ID: id } })];
  return [];
}

export function judgeProbe(probe: Probe): Finding {
  const subject = `server ${probe.server}`;
  switch (probe.kind) {
    case 'reached':
      return ok(subject, `MCP ${probe.protocolVersion}, ${probe.tools} tools, ${probe.durationMs} ms`);
    case 'login':
      return warning('server-login', subject, 'uses OAuth, which a check does not start');
    case 'failed':
      return problem('server-failed', subject, `${probe.reason} (after ${probe.durationMs} ms)`, {
        ...(probe.wrote.length === 0 ? {} : { details: probe.wrote }),
        ...(probe.transport === 'http' ? { next: pages['server-failed'].fixes[1] } : {}),
      });
  }
}

/** For a log that is neither in a file nor in a database. */
export function judgeVolatileAudit(): Finding {
  return warning('audit-volatile', 'audit', 'in memory: its records are lost when the daemon stops');
}

/** @param report undefined if no file was written yet */
export function judgeAudit(file: string, report: VerificationReport | undefined): Finding {
  if (report === undefined) return ok('audit', `${file}, not written yet`);
  const { is_valid, total_records, verified_records, details } = report;
  if (is_valid) return ok('audit', `${file}: ${total_records} records, valid`);
  return problem(
    'audit-broken',
    'audit',
    `${file}: holds for ${verified_records} of ${total_records} records; ${details}`,
    { names: { FILE: file } },
  );
}

export interface ClientSeen {
  readonly id: string;
  readonly name: string;
  readonly attached: boolean;
  /** Whether its entry is the one that attaching would write now. */
  readonly isCurrent: boolean;
  /** Servers that it reaches past Portico. */
  readonly direct_servers: readonly DirectServer[];
}

export function judgeClients(clients: readonly ClientSeen[]): Finding[] {
  if (clients.length === 0) return [ok('AI clients', 'no installed client was found')];
  return clients.flatMap((seen) => [judgeEntry(seen), ...judgeBypass(seen)]);
}

function judgeEntry({ id, name, attached, isCurrent }: ClientSeen): Finding {
  const subject = `client ${id}`;
  if (!attached) return ok(subject, `${name} is not attached`);
  if (isCurrent) return ok(subject, `${name} is attached to this configuration`);
  const message = `${name} runs another command or configuration`;
  return warning('client-entry-differs', subject, message, { names: { ID: id } });
}

/** Only of a client that is attached: another one has chosen to do without Portico. */
function judgeBypass(seen: ClientSeen): Finding[] {
  if (!seen.attached || seen.direct_servers.length === 0) return [];
  const step = nextStep(seen);
  const next = step === undefined ? pages['client-bypasses'].fixes[1] : `\`${step}\`.`;
  return [warning('client-bypasses', `client ${seen.id}`, sayDirect(seen), { next })];
}

function say({ path, message }: Issue): string {
  return path === '' ? message : `${path}: ${message}`;
}
