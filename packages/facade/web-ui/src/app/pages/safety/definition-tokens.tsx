// How many tokens the tool definitions of each server take of a model that is given all of them.
import type { ServerInfo } from '@portico/contracts';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { VisibleText } from '../../components/visible-text.js';
import { useServers } from '../../data/queries.js';
import { formatCount, plural } from '../../lib/format.js';

/** A server whose definitions are known. */
interface Counted {
  readonly id: string;
  readonly tools: number;
  readonly tokens: number;
}

/** Nothing until the definitions of a server are known. */
export function DefinitionTokens() {
  const counted = countedOf(useServers().data?.servers ?? []);
  if (counted.length === 0) return null;
  const all = counted.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <Section
      title="Tokens of tool definitions"
      lead={`A client that lists every tool gives its model about ${plural(all, 'token')} of definitions (estimated: a quarter of their bytes). No budget counts them.`}
    >
      <DataTable
        caption="Tokens of tool definitions by server, the most first"
        columns={columns}
        rows={counted}
        keyOf={({ id }) => id}
        empty=""
      />
    </Section>
  );
}

function countedOf(servers: readonly ServerInfo[]): readonly Counted[] {
  return servers
    .flatMap(({ id, tools, definition_tokens: tokens }) => (tokens === undefined ? [] : [{ id, tools, tokens }]))
    .sort((a, b) => b.tokens - a.tokens);
}

const columns: readonly Column<Counted>[] = [
  {
    title: 'Server',
    kind: 'code',
    render: ({ id }) => (
      <Link href={`/servers/${encodeURIComponent(id)}`} data-key="Enter">
        <VisibleText text={id} />
      </Link>
    ),
  },
  { title: 'Tools', kind: 'number', render: ({ tools }) => formatCount(tools) },
  { title: 'Tokens', kind: 'number', render: ({ tokens }) => formatCount(tokens) },
];
