// Answers that are kept under their keys, and how often each was given again.
import type { IdempotencyRecord } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { JsonView } from '../../components/code-view.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { TextField } from '../../components/field.js';
import { Modal } from '../../components/modal.js';
import { Moment } from '../../components/moment.js';
import { Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { toVisible } from '../../lib/visible.js';

const pageSize = 50;

export function IdempotencyPage() {
  const client = useClient();
  const [offset, setOffset] = useState(0);
  const [key, setKey] = useState('');
  const [shown, setShown] = useState<IdempotencyRecord | undefined>(undefined);
  const find = useAction((wanted: string) => client.getIdempotencyRecord(wanted));
  const list = useQuery({
    queryKey: ['idempotency', offset],
    queryFn: ({ signal }) => client.listIdempotencyRecords({ limit: pageSize, offset }, { signal }),
  });
  const look = async () => {
    const found = await find.run(key);
    if (found !== undefined) setShown(found.record);
  };
  return (
    <Page
      title="Idempotency"
      lead="A call under a key runs once. A repeat under the same key gets the answer that is kept here, and nothing runs."
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (key !== '') void look();
        }}
      >
        <div className="find">
          <TextField label="Find a key" type="search" value={key} onValue={setKey} />
          <Button type="submit" isBusy={find.isBusy}>
            Find
          </Button>
        </div>
        <ProblemNote problem={find.problem} />
      </form>
      <QueryView query={list} what="the records">
        {({ records }) => (
          <>
            <DataTable
              caption="Idempotency records, newest first"
              columns={columns(setShown)}
              rows={records}
              keyOf={(record) => record.key}
              empty="No call was made under a key."
            />
            <Pager {...{ offset, total: undefined, limit: pageSize, count: records.length }} onOffset={setOffset} />
          </>
        )}
      </QueryView>
      {shown === undefined ? null : (
        <Modal title={toVisible(shown.key)} isWide onClose={() => setShown(undefined)}>
          <JsonView label="Record" value={shown} />
        </Modal>
      )}
    </Page>
  );
}

/** Leads to the records of the repeats, where the role may read them. */
function Replays({ record: { key, replay_count: count } }: { readonly record: IdempotencyRecord }) {
  const isAdmin = useIsAdmin();
  if (count === 0 || !isAdmin) return count;
  return (
    <Link href={`/audit?${new URLSearchParams({ event_type: 'idempotent_replay', q: key })}`}>
      {count}
      <span className="visually-hidden"> repeats under {toVisible(key)}</span>
    </Link>
  );
}

function columns(onShow: (record: IdempotencyRecord) => void): readonly Column<IdempotencyRecord>[] {
  return [
    {
      title: 'What',
      render: ({ capability_id: id }) => (
        <strong className="mono">
          <VisibleText text={id ?? ''} />
        </strong>
      ),
    },
    { title: 'Under the key', kind: 'code', render: ({ key }) => <VisibleText text={key} /> },
    {
      title: 'State',
      render: ({ completed_at_epoch_secs: at }) =>
        at === null ? <Badge tone="info">runs</Badge> : <Badge tone="good">answered</Badge>,
    },
    { title: 'Made', render: ({ created_at_epoch_secs: at }) => <Moment at={new Date(at * 1000)} /> },
    { title: 'Given again', kind: 'number', render: (record) => <Replays record={record} /> },
    {
      title: 'Open',
      kind: 'actions',
      render: (record) => (
        <Button variant="quiet" data-key="Enter" onClick={() => onShow(record)}>
          Answer<span className="visually-hidden"> of {toVisible(record.key)}</span>
        </Button>
      ),
    },
  ];
}
