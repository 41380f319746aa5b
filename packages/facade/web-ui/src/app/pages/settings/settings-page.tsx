// The configuration as it is in force, and what belongs to no other page.
import type { Answers } from '@portico/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../../components/button.js';
import { JsonView } from '../../components/code-view.js';
import { Page, Section } from '../../components/page.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useConfig } from '../../data/queries.js';
import { useClient, useIsAdmin, useSession } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { plural } from '../../lib/format.js';
import { inForce } from '../policy/in-force.js';

export function SettingsPage() {
  const isAdmin = useIsAdmin();
  return (
    <Page title="Settings" lead="The configuration file in force, and this browser's own settings.">
      <div className="columns">
        <ThisBrowser />
        <About />
      </div>
      {isAdmin ? <ConfigurationSection /> : null}
    </Page>
  );
}

function ConfigurationSection() {
  const config = useConfig();
  return (
    <QueryView query={config} what="the configuration">
      {(data) => (
        <Section title="Configuration" lead="Secrets are shown as ********." actions={<Reload />}>
          <InForce {...data} />
          {data.file_issues.length === 0 ? null : (
            <div className="problem" role="alert">
              <p className="problem-code">The file as it is now is not in force</p>
              <ul>
                {data.file_issues.map(({ path, message }) => (
                  <li key={`${path} ${message}`}>
                    <VisibleText text={path === '' ? message : `${path}: ${message}`} />
                  </li>
                ))}
              </ul>
            </div>
          )}
          <details>
            <summary>All of it</summary>
            <JsonView label="Configuration" value={data.config} />
          </details>
        </Section>
      )}
    </QueryView>
  );
}

/** The configuration in a sentence: each number leads to what it counts. */
function InForce({ config_path: path, servers, profiles, config }: Answers['getConfig']) {
  const rules = inForce(config);
  const ruleCount = rules.allow.length + rules.deny.length + rules.require_approval.length;
  const profileCount = Object.keys(profiles).length;
  return (
    <>
      <p>
        In force is{' '}
        <code>
          <VisibleText text={path} />
        </code>
        : <Link href="/servers">{plural(servers.length, 'server')}</Link>,{' '}
        <Link href="/policy">{plural(ruleCount, 'rule')}</Link>,{' '}
        <Link href="/profiles">{plural(profileCount, 'profile')}</Link>.
      </p>
      <dl className="facts">
        <dt>Inspector</dt>
        <dd>
          {isOn(config.inspect)
            ? 'on: messages of servers are kept in memory, and shown beside explanations'
            : 'off: set inspect.enabled to keep the messages of servers; it takes no restart'}
        </dd>
        <dt>Roles and tokens</dt>
        <dd>
          {config.rbac == null ? 'none: who may use this machine may do everything' : 'by rbac of the configuration'}
        </dd>
      </dl>
    </>
  );
}

function isOn(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'enabled' in value && value.enabled === true;
}

function Reload() {
  const client = useClient();
  const reload = useAction(
    () => client.reloadConfig(),
    ({ mounted, unmounted, updated }) =>
      `The file is read: ${mounted.length} added, ${unmounted.length} removed, ${plural(updated.length, 'server')} updated`,
  );
  return (
    <>
      <Button isBusy={reload.isBusy} onClick={() => void reload.run(undefined)}>
        Read the file again
      </Button>
      <ProblemNote problem={reload.problem} />
    </>
  );
}

function ThisBrowser() {
  const { token, signIn, signOut } = useSession();
  return (
    <Section title="This browser">
      <dl className="facts">
        <dt>Token</dt>
        <dd>{token === null ? 'none; requests go out without one' : 'kept in this tab until it is closed'}</dd>
        <dt>Theme</dt>
        <dd>chosen at the end of the menu, and kept in this browser</dd>
      </dl>
      <div className="actions">
        <Button onClick={signIn}>{token === null ? 'Enter a token' : 'Enter another token'}</Button>
        {token === null ? null : <Button onClick={signOut}>Forget the token</Button>}
      </div>
    </Section>
  );
}

function About() {
  const client = useClient();
  const { token, admin } = useSession();
  const document = useQuery({
    queryKey: ['openapi'],
    queryFn: ({ signal }) => client.getOpenApi({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const info = document.data?.info;
  // A link carries no token.
  const canReadMetrics = token === null && admin !== 'no';
  const version = typeof info === 'object' && info !== null && 'version' in info ? String(info.version) : '…';
  return (
    <Section title="About">
      <dl className="facts">
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Interface</dt>
        <dd>
          <a href="/v1/openapi.json">OpenAPI document</a>
          {canReadMetrics ? (
            <>
              , <a href="/metrics">metrics</a>
            </>
          ) : null}
          , <a href="/readyz">readiness</a>
        </dd>
        <dt>Libraries</dt>
        <dd>
          <a href="/ui/licenses.md">licenses of what this console is made of</a>
        </dd>
      </dl>
    </Section>
  );
}
