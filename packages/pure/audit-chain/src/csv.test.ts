// CSV: golden rows, and no cell that a spreadsheet would run.
import { describe, expect, it } from 'vitest';
import { type AuditDraft, csvHeader, csvRow, genesisHead, seal } from './index.js';
import { parseCsv } from './testing/parse-csv.js';

const draft: AuditDraft = { timestamp: '2026-01-02T03:04:05.678Z', event_type: 'tool_call', status: 'success' };
const cellOf = (actor_id: string) => parseCsv(csvRow(seal(genesisHead, { ...draft, actor_id }).record))[0]?.[9];

describe('csvRow', () => {
  it('has the columns of the header, in the order of the record', () => {
    expect(csvHeader).toBe(
      'id,seq,timestamp,event_type,status,trace_id,request_id,operation_id,work_item_id,actor_id,grant_id,role,' +
        'server_id,capability_id,approval_id,idempotency_key,is_replay,sanitized_args,error_code,duration_us,details,' +
        'prev_hash,hash,chain_id,actor_kind,client,channel,profile,policy_digest,rule,definition_digest,config_revision,' +
        'args_digest,result_digest,result_bytes,queue_us,upstream_us',
    );
    const { record } = seal(genesisHead, {
      ...draft,
      actor_id: 'a, "b"',
      is_replay: true,
      sanitized_args: { b: 1, a: ['=x'] },
      duration_us: 12,
    });
    expect(csvRow(record)).toBe(
      'aud-000000000001,1,2026-01-02T03:04:05.678Z,tool_call,success,,,,,"a, ""b""",,,,,,,true,' +
        `"{""a"":[""=x""],""b"":1}",,12,,${record.prev_hash},${record.hash},,,,,,,,,,,,,,`,
    );
  });

  it.each(
    [
      [
        '=1+1',
        '+1',
        '-1',
        '@SUM(A1)',
        '\t=1',
        '\tx',
        '\rx',
        '\nx',
        ' =1',
        '"=1',
        "'=1",
        ' " @x',
        '\u00a0=1',
        '\u200b=1',
      ],
      ['\ufeff=1', '\u0000=1', '＝1', '＋1', '－1', '＠x', "''=1"],
    ].flat(),
  )('guards %j with an apostrophe', (text) => {
    expect(cellOf(text)).toBe(`'${text}`);
  });

  it.each(['a=1', 'x-y', '1+1', 'a@b', '', ' ', "'", '"a"', 'a\tb', '{"a":"=1"}'])('leaves %j as it is', (text) => {
    expect(cellOf(text)).toBe(text);
  });

  it('leaves numbers as numbers', () => {
    const { record } = seal(genesisHead, { ...draft, duration_us: -5 });
    expect(parseCsv(csvRow(record))[0]?.[19]).toBe('-5');
  });
});
