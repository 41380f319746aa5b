// The catalog: search as one types, and every entry with what can be done with it.
import { useSearchParams } from 'wouter';
import { Page } from '../../components/page.js';
import { Tabs } from '../../components/tabs.js';
import { useCapabilities, usePrompts, useResources } from '../../data/queries.js';
import { formatCount } from '../../lib/format.js';
import { PromptList } from './prompt-list.js';
import { PromptView } from './prompt-view.js';
import { ResourceList } from './resource-list.js';
import { ResourceView } from './resource-view.js';
import { ToolSearch } from './tool-search.js';
import { ToolView } from './tool-view.js';
import './catalog.css';

const kinds = ['tools', 'resources', 'prompts'] as const;
type Kind = (typeof kinds)[number];

/** `?kind=` is the list, `&id=` one entry of it: ids hold slashes and more, which paths do not keep. */
export function CatalogPage() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('kind');
  const kind = kinds.find((known) => known === asked) ?? 'tools';
  const id = search.get('id');
  if (id !== null) return <Entry kind={kind} id={id} />;
  return <Lists kind={kind} onKind={(next) => setSearch({ kind: next })} />;
}

function Entry({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  if (kind === 'resources') return <ResourceView id={id} key={id} />;
  return kind === 'prompts' ? <PromptView id={id} key={id} /> : <ToolView id={id} key={id} />;
}

function Lists({ kind, onKind }: { readonly kind: Kind; onKind(kind: Kind): void }) {
  const counts: Readonly<Record<Kind, number | undefined>> = {
    tools: useCapabilities().data?.capabilities.length,
    resources: useResources().data?.resources.length,
    prompts: usePrompts().data?.prompts.length,
  };
  const title = (name: string, count: number | undefined) =>
    count === undefined ? name : `${name} (${formatCount(count)})`;
  return (
    <Page
      title="Catalog"
      lead="Everything that agents see of all servers, the effect of policy on a call, and the number of calls."
    >
      <Tabs
        label="Kinds of entries"
        selected={kind}
        onSelect={onKind}
        tabs={[
          { id: 'tools', title: title('Tools', counts.tools) },
          { id: 'resources', title: title('Resources', counts.resources) },
          { id: 'prompts', title: title('Prompts', counts.prompts) },
        ]}
      >
        {kind === 'tools' ? <ToolSearch /> : null}
        {kind === 'resources' ? <ResourceList /> : null}
        {kind === 'prompts' ? <PromptList /> : null}
      </Tabs>
    </Page>
  );
}
