// Grants: approvals that answer later calls as well.
import type { Answers } from '@portico/client';
import { exactJson } from '@portico/contracts';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type Shell } from '../command.js';
import { addPageFlags, type PageOptions } from '../input/page.js';
import { showFields } from '../output/describe.js';
import type { Output } from '../output/output.js';

type Grant = Answers['getGrant']['grant'];

export function addGrants(program: Command, shell: Shell): void {
  const group = addGroup(program, 'grants', 'See and revoke approvals that answer later calls as well');
  for (const add of [addList, addShow, addRevoke]) add(group, shell);
}

function addList(group: Command, shell: Shell): void {
  addCommand<[], PageOptions & { readonly state?: string }>(group, shell, {
    usage: 'list',
    reach: 'state',
    hasTable: true,
    summary: 'List grants, newest first',
    examples: ['grants list', 'grants list --state all --json'],
    flags: (command) =>
      addPageFlags(command).addOption(
        new Option('--state <state>', 'only these (default: active)').choices(['active', 'ended', 'all']),
      ),
    async run({ client, output }, _args, { state, limit, offset }) {
      const answer = await client.listGrants({ state, limit, offset });
      const columns = [
        { heading: 'ID', cell: ({ grant_id }: Grant) => grant_id, isId: true },
        { heading: 'STATE', cell: ({ state: standing }: Grant) => standing, value: 2 },
        { heading: 'CAPABILITY', cell: ({ capability_id }: Grant) => capability_id, value: 4 },
        { heading: 'LEFT', cell: ({ uses_left, uses }: Grant) => `${uses_left} of ${uses}`, value: 3 },
        { heading: 'EXPIRES', time: ({ expires_at }: Grant) => expires_at, value: 3 },
        { heading: 'KEEPS', cell: keptIn, value: 2 },
        { heading: 'OF', cell: ({ actor, role }: Grant) => actor ?? role ?? '', value: 0.5 },
      ];
      const empty = 'no grants; "portico approvals approve ID --for 8h --uses 20" makes one';
      output.answer(answer, () => output.table(columns, answer.grants, empty));
      return undefined;
    },
  });
}

function addShow(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'show <id>',
    ids: ['grant'],
    reach: 'state',
    summary: 'Show a grant: the calls that it answers, and what is left of it',
    examples: ['grants show grant-1790000000-1'],
    async run({ client, output }, [id]) {
      const answer = await client.getGrant(id);
      output.answer(answer, () => showGrant(output, answer.grant));
      return undefined;
    },
  });
}

function addRevoke(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'revoke <id>',
    ids: ['grant'],
    reach: 'state',
    summary: 'Revoke a grant: later calls, and those that have not started, ask a person',
    examples: ['grants revoke grant-1790000000-1'],
    async run({ client, output }, [id]) {
      const answer = await client.revokeGrant(id);
      const { uses_left, uses } = answer.grant;
      output.answer(answer, () => output.line(`${id}: revoked, with ${uses_left} of ${uses} uses left`));
      return undefined;
    },
  });
}

/** The kept values and the free arguments, in one line. */
function keptIn({ conditions, free }: Grant): string {
  const kept = conditions.map(({ path, value }) => `${path}: ${exactJson(value)}`);
  const rest = free.length === 0 ? [] : [`${free.join(' ')} free`];
  return [...kept, ...rest].join(', ') || 'no arguments';
}

function showGrant(output: Output, grant: Grant): void {
  showFields(output, {
    id: grant.grant_id,
    state: grant.void_reason === undefined ? grant.state : `${grant.state} (${grant.void_reason})`,
    capability: grant.capability_id,
    'must be equal': grant.conditions.map(({ path, value }) => `${path}: ${exactJson(value)}`).join('\n'),
    free: grant.free.join('\n'),
    uses: `${grant.uses_left} of ${grant.uses} left`,
    created: output.time(grant.created_at),
    expires: output.time(grant.expires_at),
    'last use': grant.last_used_at === undefined ? undefined : output.time(grant.last_used_at),
    'made by': grant.issued_by,
    approval: grant.approval_id,
    actor: grant.actor,
    role: grant.role,
    profile: grant.profile,
    'client of the approved call': grant.client,
    definition: grant.definition_digest,
    revoked: grant.revoked_at === undefined ? undefined : output.time(grant.revoked_at),
    'revoked by': grant.revoked_by,
  });
}
