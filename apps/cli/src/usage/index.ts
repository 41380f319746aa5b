// `portico usage`: how often tools, servers, programs and actors were used, from the audit log.
import type { Answers } from '@portico/client';
import { type Command, Option } from 'commander';
import { addFilterFlags, type FilterOptions, toFilters } from '../audit/filters.js';
import { requireKeptLog } from '../audit/kept-log.js';
import { addCommand, type Session, type Shell } from '../command.js';

type Counted = Omit<Answers['getAuditUsage']['capabilities'][number], 'capability_id'>;

interface Row extends Counted {
  readonly name: string;
  /** The size of the definitions of a server in tokens, estimated. */
  readonly definition_tokens?: number;
}

type Usage = Pick<Answers['getAuditUsage'], 'complete'> & { readonly rows: readonly Row[] };

const kinds = ['tool', 'server', 'client', 'actor'] as const;
type Kind = (typeof kinds)[number];

interface UsageOptions extends FilterOptions {
  readonly by: Kind;
}

export function addUsage(program: Command, shell: Shell): void {
  addCommand<[], UsageOptions>(program, shell, {
    usage: 'usage',
    hasTable: true,
    summary: 'Count calls, failures and refusals by tool, server, program or actor',
    examples: [
      'usage --since yesterday',
      'usage --by client --since 7d',
      'usage --by actor',
      'usage --by server --actor ann',
    ],
    flags: (command) =>
      addFilterFlags(command.addOption(new Option('--by <WHAT>', 'count these').choices(kinds).default('tool'))),
    reach: 'state',
    async run(session, _args, { by, ...options }) {
      await requireKeptLog(session);
      const { output } = session;
      const { rows, complete } = await usageBy[by](session, options);
      const hasTokens = rows.some(({ definition_tokens }) => definition_tokens !== undefined);
      const columns = [
        { heading: by.toUpperCase(), cell: ({ name }: Row) => name, isId: true },
        { heading: 'CALLS', cell: ({ calls }: Row) => String(calls), value: 4 },
        { heading: 'FAILED', cell: ({ failed }: Row) => String(failed), value: 3 },
        { heading: 'REFUSED', cell: ({ refused }: Row) => String(refused), value: 3 },
        ...(hasTokens ? [tokensColumn] : []),
        { heading: 'LAST', time: ({ last }: Row) => last ?? undefined, value: 2 },
      ];
      output.answer({ ok: true, by, rows, complete }, () => {
        output.table(columns, rows, 'no calls');
        if (hasTokens) output.note('DEFINITIONS: tokens of the tool definitions, estimated: a quarter of their bytes');
        if (!complete) output.note('there are more than are listed; narrow the filters');
      });
      return undefined;
    },
  });
}

const tokensColumn = {
  heading: 'DEFINITIONS',
  cell: ({ definition_tokens }: Row) => String(definition_tokens ?? ''),
  value: 3,
};

const usageBy: Readonly<Record<Kind, (session: Session, options: FilterOptions) => Promise<Usage>>> = {
  async tool({ client }, options) {
    const { capabilities, complete } = await client.getAuditUsage(toFilters(options));
    return { rows: capabilities.map(({ capability_id: name, ...counted }) => ({ name, ...counted })), complete };
  },
  async server(session, options) {
    const [{ rows, complete }, { servers }] = await Promise.all([
      usageBy.tool(session, options),
      session.client.listServers(),
    ]);
    const tokensOf = new Map(servers.map(({ id, definition_tokens }) => [id, definition_tokens]));
    const byServer = new Map<string, Counted>();
    for (const { name, ...counted } of rows) {
      const server = name.slice(0, name.indexOf('.') >>> 0); // an id without a dot is of no server: it stays whole
      byServer.set(server, sumOf([byServer.get(server) ?? none, counted]));
    }
    return {
      rows: sorted(byServer).map((row) => {
        const tokens = tokensOf.get(row.name);
        return tokens === undefined ? row : { ...row, definition_tokens: tokens };
      }),
      complete,
    };
  },
  async client({ client }, options) {
    const { by_client } = await client.getAuditStats();
    const byClient = new Map<string, Counted>();
    let isComplete = true;
    for (const { client: name } of by_client) {
      if (options.client !== undefined && options.client !== name) continue;
      const { capabilities, complete } = await client.getAuditUsage(toFilters({ ...options, client: name }));
      isComplete &&= complete;
      if (capabilities.length > 0) byClient.set(name, sumOf(capabilities));
    }
    return { rows: sorted(byClient), complete: isComplete };
  },
  async actor({ client }, options) {
    const { actors = [], complete } = await client.getAuditUsage({ ...toFilters(options), by: 'actor' });
    return { rows: actors.map(({ actor_id, ...counted }) => ({ name: actor_id ?? noActor, ...counted })), complete };
  },
};

/** As tables show calls without an actor. */
const noActor = '(none)';

const none: Counted = { calls: 0, failed: 0, refused: 0, last: null };

function sumOf(all: readonly Counted[]): Counted {
  return all.reduce(
    (sum, { calls, failed, refused, last }) => ({
      calls: sum.calls + calls,
      failed: sum.failed + failed,
      refused: sum.refused + refused,
      last: (last ?? '') > (sum.last ?? '') ? last : sum.last,
    }),
    none,
  );
}

function sorted(byName: ReadonlyMap<string, Counted>): Row[] {
  const rows = [...byName].map(([name, counted]) => ({ name, ...counted }));
  return rows.sort((a, b) => b.calls + b.refused - a.calls - a.refused || (a.name < b.name ? -1 : 1));
}
