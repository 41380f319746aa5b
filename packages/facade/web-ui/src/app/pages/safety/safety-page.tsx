// Limits of what agents do without a person: definitions that changed, approvals that are remembered, and budgets.
import type { ReactNode } from 'react';
import { Redirect, useLocation } from 'wouter';
import { Page } from '../../components/page.js';
import { Tabs } from '../../components/tabs.js';
import { useHeldCount, useUsedUpCount } from '../../data/use-safety-count.js';
import { formatCount } from '../../lib/format.js';
import { ChangesPart } from '../changes/changes-part.js';
import { BudgetsPart } from './budgets-part.js';
import { GrantsPart } from './grants-part.js';
import { safetyParts } from './safety-parts.js';
import './safety.css';

type PartPath = (typeof safetyParts)[number]['path'];

const parts: Readonly<Record<PartPath, () => ReactNode>> = {
  '/safety/changes': ChangesPart,
  '/safety/grants': GrantsPart,
  '/safety/budgets': BudgetsPart,
};

/** `/safety/PART` is one part. */
export function SafetyPage() {
  const [place, go] = useLocation();
  const selected = safetyParts.find(({ path }) => place === path)?.path;
  const waiting: Readonly<Partial<Record<PartPath, readonly [count: number, word: string]>>> = {
    '/safety/changes': [useHeldCount(), 'held'],
    '/safety/budgets': [useUsedUpCount(), 'used up'],
  };
  if (selected === undefined) return <Redirect to={safetyParts[0].path} replace />;
  const Selected = parts[selected];
  return (
    <Page
      title="Safety"
      lead="Limits on what agents do by themselves: accepted definitions, remembered approvals and budgets."
    >
      <Tabs<PartPath>
        label="Parts of Safety"
        selected={selected}
        onSelect={(path) => go(path)}
        tabs={safetyParts.map(({ path, title }) => ({ id: path, title: titled(title, waiting[path]) }))}
      >
        <Selected />
      </Tabs>
    </Page>
  );
}

/** `Changes (2 held)` */
function titled(title: string, [count, word]: readonly [count: number, word: string] = [0, '']): string {
  return count === 0 ? title : `${title} (${formatCount(count)} ${word})`;
}
