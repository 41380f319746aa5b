// A record of the audit log, as the service answers with it.
import type { Answers } from '@portico/client';

export type AuditRecord = Answers['getAuditEvent']['event'];
