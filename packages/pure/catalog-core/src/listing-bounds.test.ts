// Tests the bounds of one server's lists, and how they are named where something is left out.
import { defaultLimits, type UpstreamDefinitions } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { describeBounds, withinBounds } from './listing-bounds.js';

const bounds = { uriCharacters: 10, listedUriCharacters: 12, listedTemplates: 2 };

const listing = (uris: readonly string[], templates: readonly string[]): UpstreamDefinitions => ({
  tools: [],
  resources: uris.map((uri) => ({ uri, name: 'r' })),
  resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: 't' })),
  prompts: [],
});

const excessOf = (uris: readonly string[], templates: readonly string[] = []) =>
  withinBounds(listing(uris, templates), bounds).excess;

describe('what is left out of a listing', () => {
  it('is a URI or a template of more characters than limits.uriCharacters, percent-encoded', () => {
    expect(excessOf(['x:34567890', 'x:345678901', 'x:\u00fc\u00fc'], ['t:{5678}0', 't:{5678}0ab'])).toEqual([
      'x:345678901',
      'x:\u00fc\u00fc',
      't:{5678}0ab',
    ]);
  });

  it('is what is beyond limits.listedUriCharacters in all; a shorter one behind it is kept', () => {
    expect(excessOf(['x:34567890', 'x:3', 'y:'])).toEqual(['x:3']);
  });

  it('is the last templates beyond limits.listedTemplates', () => {
    expect(excessOf([], ['a:{b}', 'b:{b}', 'c:{b}'])).toEqual(['c:{b}']);
  });

  it('is nothing within the bounds', () => {
    const all = listing(['x:3'], ['a:{b}']);
    expect(withinBounds(all, bounds)).toEqual({ kept: [...all.resources, ...all.resourceTemplates], excess: [] });
  });
});

it('the bounds are named with their settings', () => {
  expect(describeBounds(defaultLimits)).toBe(
    'a server may list URIs and templates of up to 4096 percent-encoded characters (limits.uriCharacters), 2000000 characters of URIs in all (limits.listedUriCharacters), and 200 templates (limits.listedTemplates)',
  );
});
