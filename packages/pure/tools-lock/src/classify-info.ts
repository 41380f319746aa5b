// The class of what is shown to people and not to models: pictures and versions, as far as no words stand in their place.
import { isJsonObject, type JsonValue } from '@portico/contracts';
import type { DriftClass } from './drift.js';

type Value = JsonValue | undefined;
type Classify = (before: Value, after: Value) => Extract<DriftClass, 'cosmetic' | 'description'>;

/** An address, or a picture itself: no text could stand there that a model reads. */
const iconSources = /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,|file:\/\/|\/|\.)[^\s]*$/;
const iconTexts: ReadonlyMap<string, RegExp> = new Map([
  ['src', iconSources],
  ['mimeType', /^image\/[\w.+-]{1,64}$/],
  ['theme', /^(?:light|dark)$/],
]);
const iconSize = /^(?:any|\d{1,5}x\d{1,5})$/;

/** MCP `Icon`: pictures are for people. Anything else in their place is words. */
export const classifyIcons: Classify = (_before, after) => {
  const isIcon = (icon: JsonValue) =>
    isJsonObject(icon) && Object.entries(icon).every(([name, value]) => isOfIcon(name, value));
  return after === undefined || (Array.isArray(after) && after.every(isIcon)) ? 'cosmetic' : 'description';
};

function isOfIcon(name: string, value: Value): boolean {
  if (name !== 'sizes') return typeof value === 'string' && iconTexts.get(name)?.test(value) === true;
  const sizes = Array.isArray(value) ? value : String(value).split(' ');
  return sizes.every((size) => typeof size === 'string' && iconSize.test(size));
}

/** A version as programs have one; longer text in its place is words. */
const versionText = /^[\w.+~-]{1,64}$/;
export const classifyVersion: Classify = (_before, after) =>
  after === undefined || (typeof after === 'string' && versionText.test(after)) ? 'cosmetic' : 'description';
