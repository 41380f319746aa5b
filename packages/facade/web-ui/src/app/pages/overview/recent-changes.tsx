// Entries that were added to the catalog, removed and updated, newest first. It follows the stream of changes.
import { useQuery } from '@tanstack/react-query';
import { Badge, type Tone } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Moment } from '../../components/moment.js';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';

const shown = 6;
const tones: Readonly<Record<string, Tone>> = { added: 'good', removed: 'bad', updated: 'info' };

export function RecentChanges() {
  const client = useClient();
  const events = useQuery({
    queryKey: ['catalog-events'],
    queryFn: ({ signal }) => client.listCatalogEvents({}, { signal }),
  });
  return (
    <Section title="Recent changes" lead="Changes of the catalog, as they happen.">
      <QueryView query={events} what="recent changes">
        {(data) => (
          <DataTable
            caption="Recent changes of the catalog"
            rows={data.events.slice(-shown).reverse()}
            keyOf={({ id }) => id}
            empty="Nothing has changed yet."
            columns={[
              { title: 'Time', render: ({ timestamp }) => <Moment at={new Date(timestamp * 1000)} /> },
              {
                title: 'Change',
                render: ({ change_type: type }) => <Badge tone={tones[type] ?? 'neutral'}>{type}</Badge>,
              },
              { title: 'Kind', render: ({ object_type: type }) => type },
              { title: 'Id', kind: 'code', render: ({ object_id: id }) => <VisibleText text={id} /> },
            ]}
          />
        )}
      </QueryView>
    </Section>
  );
}
