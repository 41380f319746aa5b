// The last calls as sentences, as they end, of one agent or server where one is chosen.
import type { RecentCall } from '@portico/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { CheckField, SelectField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { Empty, QueryView } from '../../components/states.js';
import { useActivity } from '../../data/activity.js';
import { CallFeed } from './call-feed.js';

const shown = 12;
const anyone = '';

export function ActivityFeed() {
  const activity = useActivity();
  const [agent, setAgent] = useState(anyone);
  const [server, setServer] = useState(anyone);
  const [isFailedOnly, setFailedOnly] = useState(false);
  const calls = activity.data?.calls ?? [];
  const fits = (call: RecentCall) =>
    (agent === anyone || call.client?.name === agent) &&
    (server === anyone || call.server_id === server) &&
    (!isFailedOnly || call.status === 'failed' || call.status === 'denied');
  return (
    <Section
      title="Activity"
      actions={
        <>
          <Choice
            label="Agent"
            all="All agents"
            value={agent}
            names={calls.map(({ client }) => client?.name)}
            onValue={setAgent}
          />
          <Choice
            label="Server"
            all="All servers"
            value={server}
            names={calls.map((call) => call.server_id)}
            onValue={setServer}
          />
          <CheckField label="Failed only" isChecked={isFailedOnly} onChecked={setFailedOnly} />
          <Link href="/audit">Audit log</Link>
        </>
      }
    >
      <QueryView query={activity} what="the last calls">
        {({ recorded }) =>
          calls.length === 0 ? (
            <Empty>{recorded ? 'Nothing was called yet.' : 'The audit log is off, so calls are not recorded.'}</Empty>
          ) : (
            <CallFeed calls={calls.filter(fits).slice(0, shown)} empty="No recent call is like that." />
          )
        }
      </QueryView>
    </Section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly names: readonly (string | undefined)[];
  onValue(value: string): void;
}

function Choice({ label, all, value, names, onValue }: ChoiceProps) {
  const known = [...new Set(names.filter((name) => name !== undefined))].sort();
  const options = value === anyone || known.includes(value) ? known : [value, ...known];
  return (
    <SelectField
      label={<span className="visually-hidden">{label}</span>}
      value={value}
      options={[[anyone, all], ...options.map((name) => [name, name] as const)]}
      onValue={onValue}
    />
  );
}
