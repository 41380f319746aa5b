// Sentences for things that wait for a person beside tickets: questions, requests of servers, logins, crashes.
import type { ServerInfo } from '../wire/servers.js';
import type { TaskRecord } from '../wire/tasks.js';
import { plural } from './amounts.js';
import { serverReason } from './servers.js';

/** The words between who and what. */
export const needVerbs = {
  question: 'is asked by',
  request: 'asks a model for a message',
  login: 'waits until you log in',
  crash: 'crashed',
} as const;

/** The text of an empty list. */
export const nothingNeeded = 'Nothing needs you.';

/** Texts beside the sentence. */
export const needDetails = {
  question: 'The call waits as a task for an answer.',
  request: 'You may answer in its place.',
} as const;

/** "cursor is asked by linear.create_issue" */
export function questionTitle({ client, capability_id: capability }: Pick<TaskRecord, 'client' | 'capability_id'>) {
  return `${askedOf({ client })} ${needVerbs.question} ${capability}`;
}

/** The client whose task asks something, by the name that it gives itself. */
export function askedOf({ client }: Pick<TaskRecord, 'client'>): string {
  return client?.name ?? 'A caller';
}

/** "crashed 5 times"; without a number where it was never restarted. */
export function crashedText({ restarts }: Pick<ServerInfo, 'restarts'>): string {
  return restarts === 0 ? needVerbs.crash : `${needVerbs.crash} ${plural(restarts, 'time')}`;
}

/** Why a server crashed, as far as it is known. */
export function crashReason(server: ServerInfo): string {
  return serverReason(server) ?? 'It gave no reason.';
}
