// The last calls of one server, as they end.
import { Link } from 'wouter';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { useActivity } from '../../data/activity.js';
import { CallFeed } from '../overview/call-feed.js';

const shown = 12;

export function ServerCalls({ id }: { readonly id: string }) {
  const activity = useActivity();
  return (
    <Section title="Last calls" actions={<Link href={`/audit?server_id=${encodeURIComponent(id)}`}>All of them</Link>}>
      <QueryView query={activity} what="its last calls">
        {({ calls }) => (
          <CallFeed
            calls={calls.filter(({ server_id: server }) => server === id).slice(0, shown)}
            empty="The last calls include no call of this server."
          />
        )}
      </QueryView>
    </Section>
  );
}
