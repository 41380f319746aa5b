// Servers that AI clients have already are taken over from their files.
import type { Answers } from '@portico/client';
import { useState } from 'react';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { DataTable } from '../../components/data-table.js';
import { CheckField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useSources } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { plural } from '../../lib/format.js';

export function ImportSection() {
  const client = useClient();
  const sources = useSources();
  const [overwrite, setOverwrite] = useState(false);
  const [done, setDone] = useState<Answers['importServers'] | undefined>(undefined);
  const take = useAction(client.importServers, ({ imported }) => `${plural(imported.length, 'server')} imported`);
  const run = async (sourcePath: string | null) => setDone(await take.run({ source_path: sourcePath, overwrite }));
  return (
    <Section title="Import servers" lead="From the configuration files of AI clients on this machine.">
      <QueryView query={sources} what="servers of AI clients">
        {(data) => (
          <>
            <DataTable
              caption="Servers in the files of AI clients"
              rows={data.sources}
              keyOf={({ path, server_id }) => `${path} ${server_id}`}
              empty="No AI client on this machine has servers."
              columns={[
                { title: 'Server', kind: 'code', render: ({ server_id }) => <VisibleText text={server_id} /> },
                { title: 'Client', render: ({ client: id }) => id },
                { title: 'File', kind: 'code', render: ({ path }) => <VisibleText text={path} /> },
                {
                  title: 'State',
                  render: ({ already_configured: isThere }) => (
                    <Badge tone={isThere ? 'neutral' : 'info'}>{isThere ? 'configured' : 'new'}</Badge>
                  ),
                },
              ]}
            />
            {data.sources.length === 0 ? null : (
              <>
                <CheckField
                  label="Replace servers that are configured"
                  isChecked={overwrite}
                  onChecked={setOverwrite}
                />
                <div className="actions">
                  <Button variant="primary" isBusy={take.isBusy} onClick={() => void run(null)}>
                    Import all
                  </Button>
                  {[...new Set(data.sources.map(({ path }) => path))].map((path) => (
                    <Button key={path} isBusy={take.isBusy} onClick={() => void run(path)}>
                      Only of {data.sources.find((source) => source.path === path)?.client}
                    </Button>
                  ))}
                </div>
              </>
            )}
          </>
        )}
      </QueryView>
      <ProblemNote problem={take.problem} />
      {done === undefined ? null : <Outcome {...done} />}
    </Section>
  );
}

function Outcome({ imported, skipped, errors }: Answers['importServers']) {
  const lines = [
    ...(imported.length === 0 ? [] : [`Imported: ${imported.join(', ')}`]),
    ...skipped.map(({ server_id, client, reason }) => `${server_id} of ${client} was left out: ${reason}`),
    ...errors.map(({ path, message }) => `${path} could not be read: ${message}`),
  ];
  return (
    <ul className="note" role="status">
      {lines.length === 0 ? <li>There was nothing to import.</li> : null}
      {lines.map((text) => (
        <li key={text}>
          <VisibleText text={text} />
        </li>
      ))}
    </ul>
  );
}
