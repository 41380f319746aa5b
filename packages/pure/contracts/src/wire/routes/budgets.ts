// Budgets: how full they are, and emptying them.
import { budgetListSchema, budgetResetRequestSchema, budgetResetSchema } from '../budgets.js';
import { plain, type Route } from './route.js';

export const budgetRoutes = [
  {
    ...plain,
    access: 'admin',
    operationId: 'listBudgets',
    path: '/v1/budgets',
    summary: 'The budgets of the configuration, and how far each account of them is used',
    answer: budgetListSchema,
    failures: [500],
  },
  {
    ...plain,
    method: 'post',
    takesCorrelation: true,
    access: 'admin',
    operationId: 'resetBudget',
    path: '/v1/budgets/{id}/reset',
    summary: 'Empty the accounts of a budget, or one of them; the audit log has who did it',
    body: budgetResetRequestSchema,
    answer: budgetResetSchema,
    failures: [400, 404, 413, 415, 500],
  },
] as const satisfies readonly Route[];
