// Filters: each condition alone, all together, and the free text.
import { describe, expect, it } from 'vitest';
import { type AuditFilter, genesisHead, matchesFilter, seal } from './index.js';

const epochMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const { record } = seal(genesisHead, {
  timestamp: '2026-01-02T03:04:05.678Z',
  event_type: 'tool_call',
  status: 'failed',
  trace_id: 'trace-1',
  actor_id: 'Agent',
  server_id: 'git',
  capability_id: 'git.push',
  is_replay: true,
  sanitized_args: { branch: ['Größe', { remote: null, depth: 1.5 }] },
  details: { shadow: 'deny:git.*' },
});

describe('matchesFilter', () => {
  it.each<[AuditFilter, boolean]>([
    [{}, true],
    [{ actor_id: undefined, q: undefined }, true],
    [{ actor_id: 'Agent' }, true],
    [{ actor_id: 'agent' }, false],
    [{ capability_id: 'git.push' }, true],
    [{ capability_id: 'git' }, false],
    [{ event_type: 'tool_call' }, true],
    [{ event_type: 'sampling' }, false],
    [{ status: 'failed' }, true],
    [{ status: 'success' }, false],
    [{ server_id: 'git' }, true],
    [{ server_id: 'fs' }, false],
    [{ trace_id: 'trace-1' }, true],
    [{ trace_id: '' }, false],
    [{ start_ms: epochMs, end_ms: epochMs }, true],
    [{ start_ms: epochMs + 1 }, false],
    [{ end_ms: epochMs - 1 }, false],
    [{ shadow: 'any' }, true],
    [{ rule: 'deny:a.*' }, false],
    [{ event_types: ['tool_call', 'prompt_get'] }, true],
    [{ event_types: ['prompt_get'] }, false],
    [{ shadow: 'deny:git.*' }, true],
    [{ shadow: 'deny:git' }, false],
    [{ q: 'GIT.P' }, true],
    [{ q: 'größe' }, true],
    [{ q: 'GRÖSSE' }, false],
    [{ q: '1.5' }, true],
    [{ q: 'true' }, true],
    [{ q: 'null' }, true],
    [{ q: record.hash.slice(3, 20) }, true],
    [{ q: 'branch' }, false],
    [{ q: 'actor_id' }, false],
    [{ q: 'gitgit' }, false],
    [{ q: '' }, true],
    [{ status: 'failed', server_id: 'git', q: 'agent', start_ms: 0 }, true],
    [{ status: 'failed', server_id: 'git', q: 'nobody', start_ms: 0 }, false],
  ])('%j: %s', (filter, matches) => {
    expect(matchesFilter(record, filter)).toBe(matches);
  });

  it('leaves out fields that a record does not have, and invalid times', () => {
    expect(matchesFilter(record, { trace_id: 'undefined' })).toBe(false);
    expect(matchesFilter({ ...record, timestamp: 'yesterday' }, { start_ms: 0 })).toBe(false);
    expect(matchesFilter({ ...record, timestamp: 'yesterday' }, {})).toBe(true);
  });
});
