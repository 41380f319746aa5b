// One tool: its description, a form made from its schema, and the outcome of a run.
import { type CapabilityDetail, ruleText } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { JsonView } from '../../components/code-view.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { ToolLockNote, useToolLock } from '../changes/lock-note.js';
import { LastCalls } from './last-calls.js';
import { RunTool } from './run-tool.js';
import type { Verdict } from './shapes.js';
import { ToolPolicy } from './tool-policy.js';
import { Tags } from './tool-table.js';

export function ToolView({ id }: { readonly id: string }) {
  const client = useClient();
  const isAdmin = useIsAdmin();
  const { data: verdict } = useQuery({
    queryKey: ['policy-of', id, null, null],
    enabled: isAdmin,
    queryFn: () => client.testPolicy({ id, kind: 'tool', role: null, profile: null }),
  });
  const isHidden = verdict?.effect === 'denied' || verdict?.effect === 'not_found';
  const lock = useToolLock(id, isAdmin);
  const detail = useQuery({
    queryKey: ['capability', id],
    enabled: !isHidden && !lock.isHeld && !(isAdmin && (verdict === undefined || !lock.isKnown)),
    queryFn: ({ signal }) => client.describeCapability(id, { signal }),
  });
  return (
    <Page title={id} lead={<Link href="/catalog?kind=tools">Back to the tools</Link>}>
      <ToolLockNote server={id.split('.')[0] ?? ''} lock={lock} />
      {lock.isHeld ? null : isHidden ? (
        <p className="note">Policy keeps this tool from callers: it is not listed, and its definition is not shown.</p>
      ) : (
        <QueryView query={detail} what="the tool">
          {({ capability }) => <Tool tool={capability} />}
        </QueryView>
      )}
      {isAdmin ? <ToolPolicy id={id} /> : null}
      {isHidden || lock.isHeld || detail.data === undefined ? null : (
        <Section title="Run it" lead={<RunLead verdict={verdict} />}>
          <RunTool tool={detail.data.capability} />
        </Section>
      )}
      {isAdmin ? <LastCalls id={id} kind="tools" /> : null}
    </Page>
  );
}

/** Explains before a run what policy does with it. */
function RunLead({ verdict }: { readonly verdict: Pick<Verdict, 'effect' | 'rule'> | undefined }) {
  if (verdict?.effect !== 'waits_for_approval')
    return 'Runs with your rights, through policy, and leaves a record in the audit log.';
  return (
    <>
      Will wait for approval
      {verdict.rule === null ? '' : ', rule '}
      {verdict.rule === null ? null : <VisibleText text={ruleText(verdict.rule)} />}. A person decides, then it runs.
    </>
  );
}

function Tool({ tool }: { readonly tool: CapabilityDetail }) {
  const { server, tool: name, title, description, tags = [], input_schema: schema, output_schema: output } = tool;
  return (
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
  );
}
