import { describe, expect, it } from 'vitest';
import { encodeHeaderValue } from './mcp-headers.js';
import { findHeaderParams, paramHeaders } from './param-headers.js';

describe('arguments repeated in headers', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      place: { type: 'object', properties: { floor: { type: 'integer', 'x-mcp-header': 'Floor' } } },
      isDry: { type: 'boolean', 'x-mcp-header': 'Dry-Run', default: { 'x-mcp-header': 'not a schema' } },
    },
  };

  it('are found at any depth of properties', () => {
    const found = findHeaderParams(schema);
    expect(found).toEqual({
      ok: true,
      params: [
        { path: ['region'], header: 'mcp-param-Region' },
        { path: ['place', 'floor'], header: 'mcp-param-Floor' },
        { path: ['isDry'], header: 'mcp-param-Dry-Run' },
      ],
    });
  });

  it('are left out when absent, null, no primitive or not exact', () => {
    const found = findHeaderParams(schema);
    const params = found.ok ? found.params : [];
    expect(paramHeaders(params, { region: 'eu', place: { floor: 3 }, isDry: false })).toEqual({
      'mcp-param-Region': 'eu',
      'mcp-param-Floor': '3',
      'mcp-param-Dry-Run': 'false',
    });
    expect(paramHeaders(params, { region: null, place: { floor: 2 ** 53 }, isDry: {} })).toEqual({});
    expect(paramHeaders(params, undefined)).toEqual({});
  });

  it.each([
    { fault: 'under items', part: { list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
    { fault: 'in an alternative', part: { one: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } } },
    { fault: 'with a bad name', part: { one: { type: 'string', 'x-mcp-header': 'a b' } } },
    { fault: 'on a number', part: { one: { type: 'number', 'x-mcp-header': 'A' } } },
    {
      fault: 'twice',
      part: { one: { type: 'string', 'x-mcp-header': 'A' }, two: { type: 'string', 'x-mcp-header': 'a' } },
    },
  ])('are a fault of the tool when declared $fault', ({ part }) => {
    expect(findHeaderParams({ type: 'object', properties: part })).toEqual({ ok: false, reason: expect.any(String) });
  });

  it.each([
    { text: 'plain text', header: 'plain text' },
    { text: '', header: '=?base64??=' },
    { text: ' padded', header: '=?base64?IHBhZGRlZA==?=' },
    { text: 'line\nbreak', header: '=?base64?bGluZQpicmVhaw==?=' },
    { text: 'grüße', header: '=?base64?Z3LDvMOfZQ==?=' },
    { text: '=?base64?eA==?=', header: '=?base64?PT9iYXNlNjQ/ZUE9PT89?=' },
  ])('have the value $header for "$text"', ({ text, header }) => {
    expect(encodeHeaderValue(text)).toBe(header);
  });
});
