// The pages of the web console: name of their pictures, path, title. Tests of all pages use this list.
export const consolePages = [
  ['overview', '/ui', 'Overview'],
  ['catalog', '/ui/catalog', 'Catalog'],
  ['batch', '/ui/batch', 'Batch'],
  ['tasks', '/ui/tasks', 'Tasks and sampling'],
  ['approvals', '/ui/approvals', 'Approvals'],
  ['changes', '/ui/safety/changes', 'Safety'],
  ['grants', '/ui/safety/grants', 'Safety'],
  ['budgets', '/ui/safety/budgets', 'Safety'],
  ['audit', '/ui/audit', 'Audit'],
  ['idempotency', '/ui/idempotency', 'Idempotency'],
  ['servers', '/ui/servers', 'Servers'],
  ['policy', '/ui/policy', 'Policy'],
  ['aliases', '/ui/aliases', 'Aliases'],
  ['profiles', '/ui/profiles', 'Profiles'],
  ['clients', '/ui/clients', 'AI clients'],
  ['settings', '/ui/settings', 'Settings'],
] as const;
