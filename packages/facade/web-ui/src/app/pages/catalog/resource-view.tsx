// One resource, or one template of resources, and what reading it brings.
import type { ResourceListItem } from '@portico/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { TextField } from '../../components/field.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useResources } from '../../data/queries.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { OutcomeView } from '../../execution/outcome-view.js';
import { useRun } from '../../execution/use-run.js';
import { LastCalls } from './last-calls.js';
import { RunButtons } from './run-tool.js';

export function ResourceView({ id }: { readonly id: string }) {
  const list = useResources();
  return (
    <Page title={id} lead={<Link href="/catalog?kind=resources">Back to the resources</Link>}>
      <QueryView query={list} what="the resource">
        {({ resources }) => {
          const resource = resources.find((entry) => entry.id === id);
          if (resource === undefined) return <p>There is no such resource any more.</p>;
          return <Resource resource={resource} />;
        }}
      </QueryView>
    </Page>
  );
}

function Resource({ resource }: { readonly resource: ResourceListItem }) {
  const { id, name, description, uri, mime_type: type, server } = resource;
  const isAdmin = useIsAdmin();
  return (
    <>
      <Section title="About">
        <p>
          <VisibleText text={description ?? name} />
        </p>
        <dl className="facts">
          <dt>Address</dt>
          <dd className="mono">
            <VisibleText text={uri} />
          </dd>
          <dt>Type</dt>
          <dd>
            <VisibleText text={type ?? 'not said'} />
          </dd>
          <dt>Server</dt>
          <dd>
            <Link href={`/servers/${encodeURIComponent(server)}`}>{server}</Link>
          </dd>
        </dl>
      </Section>
      <Section title="Read it">
        <ReadResource id={id} uri={uri} server={server} />
      </Section>
      {isAdmin ? <LastCalls id={id} kind="resources" /> : null}
    </>
  );
}

function ReadResource({ id, uri, server }: Pick<ResourceListItem, 'id' | 'uri' | 'server'>) {
  const client = useClient();
  const isTemplate = /\{[^}]*\}/.test(uri);
  const [address, setAddress] = useState(uri);
  const isFilled = !/\{[^}]*\}/.test(address);
  const run = useRun((turn) => client.readResource({ resource_id: isTemplate ? `${server}.${address}` : id, ...turn }));
  return (
    <>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isFilled) run.start();
        }}
      >
        {isTemplate ? (
          <TextField
            label="Address"
            hint="Put values in place of the parts in braces."
            className="mono"
            value={address}
            error={address === uri || isFilled ? undefined : 'A part in braces is left.'}
            onValue={setAddress}
          />
        ) : null}
        <div className="actions">
          <RunButtons run={run} verb="Read" />
        </div>
      </form>
      <OutcomeView run={run} />
    </>
  );
}
