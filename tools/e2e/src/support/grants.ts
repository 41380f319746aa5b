// Grants as a test makes and reads them, and the recorded session that they are measured by.
import { readFileSync } from 'node:fs';
import type { approvedAnswerSchema, grantSchema } from '@portico/contracts';
import type { InferOutput } from 'valibot';
import type { GatedEnvelope } from './approvals.js';
import type { Daemon } from './daemon.js';

export type Grant = InferOutput<typeof grantSchema>;
type Approved = Partial<InferOutput<typeof approvedAnswerSchema>> & Partial<Pick<GatedEnvelope, 'error'>>;

export function grantsOf(daemon: Daemon) {
  return {
    /** Calls, and returns the ticket that waits. */
    async ask(id: string, args: object): Promise<string> {
      const { body } = await daemon.post<GatedEnvelope>('/v1/tools/call', { capability_id: id, args });
      return body.error?.approval_id ?? '';
    },
    approve: (ticket: string, grant: object) =>
      daemon.post<Approved>(`/v1/approvals/${ticket}/approve`, { operator: 'ann', grant }),
    remove: (path: string) => daemon.send(path, { method: 'DELETE' }),
    async grant(id: string): Promise<Grant> {
      return (await daemon.get<{ readonly grant: Grant }>(`/v1/grants/${id}`)).body.grant;
    },
  };
}

export interface SessionCall {
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments that a person would keep when asked about it. */
  readonly keep: readonly string[];
}

/** A person keeps the repository; a merge is kept whole. */
const keptArguments: Readonly<Record<string, readonly string[]>> = {
  's.create_issue': ['repo'],
  's.comment': ['repo'],
  's.merge': ['repo', 'number', 'method'],
};

/** The calls of an agent that worked through the issues of seven repositories, in their order. */
export function grantSession(): readonly SessionCall[] {
  const lines = readFileSync(new URL('grant-session.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [id, args] = JSON.parse(line) as [string, SessionCall['args']];
    return { id, args, keep: keptArguments[id] ?? [] };
  });
}
