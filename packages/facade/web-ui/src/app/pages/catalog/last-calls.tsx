// The last calls of one tool, resource or prompt, with how many there were in the last day.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VirtualTable } from '../../components/virtual-table.js';
import { useClient } from '../../data/session.js';
import { recordColumns } from '../audit/record.js';
import '../audit/audit.css';
import { CountLink } from './count-link.js';
import { type EntryKind, useDayUsage } from './usage.js';

const shown = 8;

interface LastCallsProps {
  readonly id: string;
  readonly kind: EntryKind;
}

export function LastCalls({ id, kind }: LastCallsProps) {
  const client = useClient();
  const usage = useDayUsage();
  const all = `/audit?${new URLSearchParams({ capability_id: id })}`;
  const list = useQuery({
    queryKey: ['last-calls', id],
    queryFn: ({ signal }) => client.listAuditEvents({ capability_id: id, limit: shown }, { signal }),
  });
  return (
    <Section title="Last calls" actions={<Link href={all}>All of them</Link>}>
      {usage === undefined ? null : (
        <p className="figure-line">
          <span>
            <CountLink id={id} kind={kind} counted="calls" usage={usage} /> calls in 24 h
          </span>
          <span>
            <CountLink id={id} kind={kind} counted="failed" usage={usage} /> failed
          </span>
          <span>
            <CountLink id={id} kind={kind} counted="refused" usage={usage} /> refused
          </span>
        </p>
      )}
      <QueryView query={list} what="its last calls">
        {({ events }) => (
          <VirtualTable
            caption="Last calls"
            name="records"
            columns={recordColumns}
            rows={events}
            keyOf={(event) => event.id}
            empty="It was never called."
          />
        )}
      </QueryView>
    </Section>
  );
}
