// What of the audit log is wanted. Nothing is asked before the button is pressed, so that nobody waits while typing.
import type { AuditFilters } from '@portico/client';
import { auditEventTypes, auditStatuses, parseJson } from '@portico/contracts';
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/field.js';

export const filterNames = [
  'q',
  'event_type',
  'status',
  'capability_id',
  'server_id',
  'actor_id',
  'trace_id',
  'start_time',
  'end_time',
] as const satisfies readonly (keyof AuditFilters)[];

export type Filters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

interface AuditFilterFieldsProps {
  readonly filters: Filters;
  onFilters(filters: Filters): void;
}

export function AuditFilterFields({ filters, onFilters }: AuditFilterFieldsProps) {
  const [draft, setDraft] = useState<Filters>(filters);
  const asked = JSON.stringify(filters);
  useEffect(() => setDraft(parseJson(asked)), [asked]);
  const field = (name: (typeof filterNames)[number]) => ({
    value: draft[name] ?? '',
    onValue: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  const any = ['', 'Any'] as const;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onFilters(Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== '')));
      }}
    >
      <div className="audit-filters">
        <TextField label="Words" type="search" {...field('q')} />
        <SelectField
          label="Kind"
          options={[any, ...auditEventTypes.map((type) => [type, type.replaceAll('_', ' ')] as const)]}
          {...field('event_type')}
        />
        <SelectField
          label="Status"
          options={[any, ...auditStatuses.map((status) => [status, status] as const)]}
          {...field('status')}
        />
        <TextField label="Capability" {...field('capability_id')} />
        <TextField label="Server" {...field('server_id')} />
        <TextField label="Actor" {...field('actor_id')} />
        <TextField label="Trace" {...field('trace_id')} />
        <TextField label="From" placeholder="2026-01-31T00:00:00Z" {...field('start_time')} />
        <TextField label="Until" placeholder="2026-02-01T00:00:00Z" {...field('end_time')} />
      </div>
      <div className="actions">
        <Button type="submit" variant="primary">
          Show
        </Button>
        <Button
          onClick={() => {
            setDraft({});
            onFilters({});
          }}
        >
          Clear
        </Button>
      </div>
    </form>
  );
}
