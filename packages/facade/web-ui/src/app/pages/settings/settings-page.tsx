// The configuration as it is in force, and what belongs to no other page.
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { JsonView } from '../../components/code-view.js';
import { Page, Section } from '../../components/page.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useConfig } from '../../data/queries.js';
import { useClient, useSession } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { plural } from '../../lib/format.js';
import { ImportSection } from './import-section.js';

export function SettingsPage() {
  const config = useConfig();
  return (
    <Page title="Settings" lead="The configuration file in force, and this browser's own settings.">
      <div className="columns">
        <ThisBrowser />
        <About />
      </div>
      <ImportSection />
      <QueryView query={config} what="the configuration">
        {(data) => (
          <Section title="Configuration" lead="Secrets are shown as ********." actions={<Reload />}>
            <p>
              From{' '}
              <code>
                <VisibleText text={data.config_path} />
              </code>
            </p>
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
            <JsonView label="Configuration" value={data.config} />
          </Section>
        )}
      </QueryView>
    </Page>
  );
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
  const document = useQuery({
    queryKey: ['openapi'],
    queryFn: ({ signal }) => client.getOpenApi({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const info = document.data?.info;
  const version = typeof info === 'object' && info !== null && 'version' in info ? String(info.version) : '…';
  return (
    <Section title="About">
      <dl className="facts">
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Interface</dt>
        <dd>
          <a href="/v1/openapi.json">OpenAPI document</a>, <a href="/metrics">metrics</a>,{' '}
          <a href="/readyz">readiness</a>
        </dd>
        <dt>Libraries</dt>
        <dd>
          <a href="/ui/licenses.md">licenses of what this console is made of</a>
        </dd>
      </dl>
    </Section>
  );
}
