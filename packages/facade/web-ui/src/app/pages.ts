// The pages in the order of the sidebar. Each is loaded when it is first opened.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { safetyParts } from './pages/safety/safety-parts.js';

export interface PageEntry {
  /** Below `/ui`; what comes behind it is the page's own business. */
  readonly path: string;
  readonly title: string;
  readonly group: 'Watch' | 'Use' | 'Set up' | 'Advanced';
  readonly page: LazyExoticComponent<ComponentType>;
  /** Left out of the menu where the role may not read what is on it. */
  readonly isForAdmins?: true;
  /** Shows how many of these wait for a person beside the entry. */
  readonly counts?: 'approvals' | 'safety';
  /** More words by which Ctrl-K finds it. */
  readonly words?: string;
  /** Parts with addresses of their own, which Ctrl-K finds too. */
  readonly parts?: readonly Pick<PageEntry, 'path' | 'title' | 'words'>[];
}

/** `export function NamePage()` of `./pages/…`. */
function load<Name extends string>(loader: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name) {
  return lazy(async () => ({ default: (await loader())[name] }));
}

// biome-ignore format: a page is a line
export const pages: readonly PageEntry[] = [
  { path: '/', title: 'Overview', group: 'Watch', page: load(() => import('./pages/overview/overview-page.js'), 'OverviewPage') },
  { path: '/approvals', title: 'Approvals', group: 'Watch', counts: 'approvals', page: load(() => import('./pages/approvals/approvals-page.js'), 'ApprovalsPage') },
  { path: '/safety', title: 'Safety', group: 'Watch', isForAdmins: true, counts: 'safety', parts: safetyParts, page: load(() => import('./pages/safety/safety-page.js'), 'SafetyPage') },
  { path: '/audit', title: 'Audit', group: 'Watch', isForAdmins: true, page: load(() => import('./pages/audit/audit-page.js'), 'AuditPage') },
  { path: '/catalog', title: 'Catalog', group: 'Use', page: load(() => import('./pages/catalog/catalog-page.js'), 'CatalogPage') },
  { path: '/tasks', title: 'Tasks and sampling', group: 'Use', page: load(() => import('./pages/tasks/tasks-page.js'), 'TasksPage') },
  { path: '/servers', title: 'Servers', group: 'Set up', page: load(() => import('./pages/servers/servers-page.js'), 'ServersPage') },
  { path: '/policy', title: 'Policy', group: 'Set up', isForAdmins: true, page: load(() => import('./pages/policy/policy-page.js'), 'PolicyPage') },
  { path: '/clients', title: 'AI clients', group: 'Set up', isForAdmins: true, page: load(() => import('./pages/clients/clients-page.js'), 'ClientsPage') },
  { path: '/aliases', title: 'Aliases', group: 'Set up', isForAdmins: true, page: load(() => import('./pages/aliases/aliases-page.js'), 'AliasesPage') },
  { path: '/profiles', title: 'Profiles', group: 'Set up', isForAdmins: true, page: load(() => import('./pages/profiles/profiles-page.js'), 'ProfilesPage') },
  { path: '/settings', title: 'Settings', group: 'Set up', page: load(() => import('./pages/settings/settings-page.js'), 'SettingsPage') },
  { path: '/batch', title: 'Batch', group: 'Advanced', page: load(() => import('./pages/batch/batch-page.js'), 'BatchPage') },
  { path: '/idempotency', title: 'Idempotency', group: 'Advanced', page: load(() => import('./pages/idempotency/idempotency-page.js'), 'IdempotencyPage') },
];
