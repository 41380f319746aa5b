// The parts of the page Safety, each with an address of its own.
export const safetyParts = [
  { path: '/safety/changes', title: 'Changes', words: 'safety lock drift held definitions accept' },
  { path: '/safety/grants', title: 'Grants', words: 'safety remembered approvals revoke' },
  { path: '/safety/budgets', title: 'Budgets', words: 'safety limits usage tokens cost reset' },
] as const;
