// The audit block with its defaults filled in, and the checks of it that a schema cannot say.
import { type Issue, joinPath } from '../issues.js';
import type { RawAudit, RawSiemTarget } from './audit-schema.js';
import { type Audit, defaultAudit, type SiemTarget } from './config.js';
import { headerIssues } from './header-issues.js';

export function auditIssues(raw: RawAudit | null | undefined): Issue[] {
  const at = (...keys: (string | number)[]) => joinPath(['audit', ...keys]);
  const noFile = /\0/.test(raw?.filePath ?? '')
    ? [{ path: at('filePath'), message: 'must not hold a null character' }]
    : [];
  const targets = (raw?.siem?.targets ?? []).flatMap((target, index) => {
    const own = (...keys: string[]) => at('siem', 'targets', index, ...keys);
    return target.type === 'webhook' ? webhookIssues(target, own) : tokenIssues(target, own);
  });
  return [...noFile, ...targets];
}

type At = (...keys: string[]) => string;

function webhookIssues({ headers, authHeader }: Extract<RawSiemTarget, { type: 'webhook' }>, at: At): Issue[] {
  const issues = headerIssues(headers ?? {}, (name) => at('headers', name));
  return hasLineBreak(authHeader ?? '') ? [...issues, { path: at('authHeader'), message: noLineBreak }] : issues;
}

function tokenIssues({ token }: Extract<RawSiemTarget, { type: 'splunk_hec' }>, at: At): Issue[] {
  return hasLineBreak(token) ? [{ path: at('token'), message: noLineBreak }] : [];
}

const noLineBreak = 'must not hold a line break';

function hasLineBreak(text: string): boolean {
  return /[\r\n\0]/.test(text);
}

export function toAudit(raw: RawAudit | null | undefined): Audit {
  return {
    isEnabled: raw?.enabled ?? defaultAudit.isEnabled,
    filePath: raw?.filePath ?? defaultAudit.filePath,
    durability: raw?.durability ?? defaultAudit.durability,
    bufferCapacity: raw?.bufferCapacity ?? defaultAudit.bufferCapacity,
    flushIntervalMs: raw?.flushIntervalMs ?? defaultAudit.flushIntervalMs,
    maxBatchSize: raw?.maxBatchSize ?? defaultAudit.maxBatchSize,
    checkpointRecords: raw?.checkpointRecords ?? defaultAudit.checkpointRecords,
    checkpointIntervalMs: raw?.checkpointIntervalMs ?? defaultAudit.checkpointIntervalMs,
    maxFileMb: raw?.maxFileMb ?? defaultAudit.maxFileMb,
    keepDays: raw?.keepDays ?? defaultAudit.keepDays,
    digests: raw?.digests ?? defaultAudit.digests,
    siemTargets: (raw?.siem?.targets ?? []).map(toSiemTarget),
  };
}

function toSiemTarget(raw: RawSiemTarget): SiemTarget {
  switch (raw.type) {
    case 'webhook':
      return { kind: 'webhook', url: raw.url, authHeader: raw.authHeader ?? null, headers: raw.headers ?? {} };
    case 'splunk_hec':
      return {
        kind: 'splunk_hec',
        url: raw.url,
        token: raw.token,
        index: raw.index ?? null,
        source: raw.source ?? null,
      };
  }
}
