// The pages in the order of the sidebar. Each is loaded when it is first opened.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

export interface PageEntry {
  /** Below `/ui`; what comes behind it is the page's own business. */
  readonly path: string;
  readonly title: string;
  readonly group: 'Watch' | 'Use' | 'Control' | 'Set up';
  readonly page: LazyExoticComponent<ComponentType>;
  /** Shows how many tickets wait for a person beside the entry. */
  readonly countsApprovals?: true;
}

/** `export function NamePage()` of `./pages/…`. */
function load<Name extends string>(loader: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name) {
  return lazy(async () => ({ default: (await loader())[name] }));
}

// biome-ignore format: a page is a line
export const pages: readonly PageEntry[] = [
  { path: '/', title: 'Overview', group: 'Watch', page: load(() => import('./pages/overview/overview-page.js'), 'OverviewPage') },
  { path: '/audit', title: 'Audit', group: 'Watch', page: load(() => import('./pages/audit/audit-page.js'), 'AuditPage') },
  { path: '/idempotency', title: 'Idempotency', group: 'Watch', page: load(() => import('./pages/idempotency/idempotency-page.js'), 'IdempotencyPage') },
  { path: '/catalog', title: 'Catalog', group: 'Use', page: load(() => import('./pages/catalog/catalog-page.js'), 'CatalogPage') },
  { path: '/batch', title: 'Batch', group: 'Use', page: load(() => import('./pages/batch/batch-page.js'), 'BatchPage') },
  { path: '/tasks', title: 'Tasks and sampling', group: 'Use', page: load(() => import('./pages/tasks/tasks-page.js'), 'TasksPage') },
  { path: '/approvals', title: 'Approvals', group: 'Control', countsApprovals: true, page: load(() => import('./pages/approvals/approvals-page.js'), 'ApprovalsPage') },
  { path: '/policy', title: 'Policy', group: 'Control', page: load(() => import('./pages/policy/policy-page.js'), 'PolicyPage') },
  { path: '/servers', title: 'Servers', group: 'Set up', page: load(() => import('./pages/servers/servers-page.js'), 'ServersPage') },
  { path: '/aliases', title: 'Aliases', group: 'Set up', page: load(() => import('./pages/aliases/aliases-page.js'), 'AliasesPage') },
  { path: '/profiles', title: 'Profiles', group: 'Set up', page: load(() => import('./pages/profiles/profiles-page.js'), 'ProfilesPage') },
  { path: '/clients', title: 'AI clients', group: 'Set up', page: load(() => import('./pages/clients/clients-page.js'), 'ClientsPage') },
  { path: '/settings', title: 'Settings', group: 'Set up', page: load(() => import('./pages/settings/settings-page.js'), 'SettingsPage') },
];
