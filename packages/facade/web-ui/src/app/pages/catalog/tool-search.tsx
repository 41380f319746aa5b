// Tools with what policy makes of them and how often they were called; found as one types, with why each was found.
import { useDeferredValue, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { SelectField, TextField } from '../../components/field.js';
import { Loading, QueryView } from '../../components/states.js';
import { useCapabilities } from '../../data/queries.js';
import { useIsAdmin } from '../../data/session.js';
import { formatCount } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import type { Effect } from './shapes.js';
import { ToolHits } from './tool-hits.js';
import { effectOf, toRows } from './tool-rows.js';
import { ToolTable } from './tool-table.js';
import { useDayUsage } from './usage.js';
import { effects, effectWords, useVerdicts, useViewers, type Viewer } from './verdicts.js';

const anything = '';

/** `?policy=`, `&profile=`, `&role=` and `&server=` are in the address, so that a number can lead here. */
export function ToolSearch() {
  const [search, setSearch] = useSearchParams();
  const [query, setQuery] = useState('');
  const [mode, setMode] = useState(anything);
  const typed = useDeferredValue(query.trim());
  const list = useCapabilities();
  const servers = useMemo(() => [...new Set(list.data?.capabilities.map((entry) => entry.server))], [list.data]);
  const server = search.get('server') ?? anything;
  const viewer = { profile: search.get('profile') ?? anything, role: search.get('role') ?? anything };
  const put = (name: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === anything) next.delete(name);
      else next.set(name, value);
      return next;
    });
  return (
    <div className="stack">
      <search className="filters">
        <TextField
          label="Search tools"
          type="search"
          placeholder="what it should do"
          value={query}
          onValue={setQuery}
        />
        <SelectField
          label="Server"
          value={server}
          options={[[anything, 'All servers'], ...servers.map((id) => [id, toVisible(id)] as const)]}
          onValue={(id) => put('server', id)}
        />
        <SelectField
          label="Mode"
          value={mode}
          options={[
            [anything, 'Reads and writes'],
            ['read', 'Reads only'],
            ['write', 'May write'],
          ]}
          onValue={setMode}
        />
        <ViewerFields viewer={viewer} onViewer={put} />
      </search>
      {typed === '' && mode === anything ? (
        <AllTools
          server={server}
          viewer={viewer}
          policy={search.get('policy')}
          onPolicy={(effect) => put('policy', effect)}
        />
      ) : (
        <ToolHits {...{ typed, server, mode, viewer }} />
      )}
    </div>
  );
}

interface ViewerFieldsProps {
  readonly viewer: Viewer;
  onViewer(name: 'profile' | 'role', value: string): void;
}

/** Through whose eyes policy is shown; nothing where there is only one pair. */
function ViewerFields({ viewer, onViewer }: ViewerFieldsProps) {
  const { profiles, roles } = useViewers();
  const choices = (names: readonly string[], none: string) => [
    [anything, none] as const,
    ...names.map((name) => [name, toVisible(name)] as const),
  ];
  return (
    <>
      {roles.length === 0 ? null : (
        <SelectField
          label="Policy for role"
          value={viewer.role}
          options={choices(roles, 'operator')}
          onValue={(role) => onViewer('role', role)}
        />
      )}
      {profiles.length === 0 ? null : (
        <SelectField
          label="Policy for profile"
          value={viewer.profile}
          options={choices(profiles, 'none')}
          onValue={(profile) => onViewer('profile', profile)}
        />
      )}
    </>
  );
}

interface AllToolsProps {
  readonly server: string;
  readonly viewer: Viewer;
  readonly policy: string | null;
  onPolicy(effect: string): void;
}

function AllTools({ server, viewer, policy, onPolicy }: AllToolsProps) {
  const isAdmin = useIsAdmin();
  const list = useCapabilities();
  const verdicts = useVerdicts(viewer);
  const usage = useDayUsage();
  const rows = useMemo(
    () =>
      toRows(list.data?.capabilities ?? [], verdicts, usage).filter(
        (row) => server === anything || row.server === server,
      ),
    [list.data, verdicts, usage, server],
  );
  const wanted = effects.find((each) => each === policy);
  const shown = useMemo(
    () => (wanted === undefined ? rows : rows.filter((row) => effectOf(row) === wanted)),
    [rows, wanted],
  );
  return (
    <QueryView query={list} what="the tools">
      {() => (
        <>
          {isAdmin && verdicts !== undefined ? (
            <EffectCounts
              chosen={wanted}
              countOf={(effect) => rows.filter((row) => effectOf(row) === effect).length}
              onPolicy={onPolicy}
            />
          ) : null}
          {wanted !== undefined && verdicts === undefined ? (
            <Loading what="what policy makes of them" />
          ) : (
            <ToolTable rows={shown} usage={usage} isJudged={verdicts !== undefined} />
          )}
        </>
      )}
    </QueryView>
  );
}

interface EffectCountsProps {
  readonly chosen: Effect | undefined;
  countOf(effect: Effect): number;
  onPolicy(effect: string): void;
}

/** How many tools are allowed, ask and are denied: each number is a filter of the list. */
function EffectCounts({ chosen, countOf, onPolicy }: EffectCountsProps) {
  return (
    <ul className="chips" aria-label="Policy">
      {effects.map((effect) => {
        const count = countOf(effect);
        if (count === 0 && effect !== chosen) return null;
        return (
          <li key={effect}>
            <button
              type="button"
              className="chip"
              aria-pressed={effect === chosen}
              onClick={() => onPolicy(effect === chosen ? anything : effect)}
            >
              <strong>{formatCount(count)}</strong> {effectWords[effect][0]}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
