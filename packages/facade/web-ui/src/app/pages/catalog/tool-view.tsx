// One tool: what it is, a form made from its schema, and what came of running it.
import type { CapabilityDetail } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { JsonView } from '../../components/code-view.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { RunTool } from './run-tool.js';
import { Tags } from './tool-search.js';

export function ToolView({ id }: { readonly id: string }) {
  const client = useClient();
  const detail = useQuery({
    queryKey: ['capability', id],
    queryFn: ({ signal }) => client.describeCapability(id, { signal }),
  });
  return (
    <Page title={id} lead={<Link href="/catalog?kind=tools">Back to the tools</Link>}>
      <QueryView query={detail} what="the tool">
        {({ capability }) => <Tool tool={capability} />}
      </QueryView>
    </Page>
  );
}

function Tool({ tool }: { readonly tool: CapabilityDetail }) {
  const { server, tool: name, title, description, tags = [], input_schema: schema, output_schema: output } = tool;
  return (
    <>
      <Section title="About">
        {title === undefined ? null : (
          <p>
            <strong>
              <VisibleText text={title} />
            </strong>
          </p>
        )}
        <p className="preserved">
          <VisibleText text={description === '' ? 'It does not say what it does.' : description} />
        </p>
        <dl className="facts">
          <dt>Server</dt>
          <dd>
            <Link href={`/servers/${encodeURIComponent(server)}`}>{server}</Link>
          </dd>
          <dt>Name there</dt>
          <dd className="mono">
            <VisibleText text={name} />
          </dd>
          <dt>Tags</dt>
          <dd>
            <Tags tags={tags} />
          </dd>
        </dl>
        <details>
          <summary>Schemas</summary>
          <div className="stack">
            <JsonView label="Input schema" value={schema} />
            {output === undefined ? null : <JsonView label="Output schema" value={output} />}
          </div>
        </details>
      </Section>
      <Section title="Run it" lead="Runs with your rights, through policy, and leaves a record in the audit log.">
        <RunTool tool={tool} />
      </Section>
    </>
  );
}
