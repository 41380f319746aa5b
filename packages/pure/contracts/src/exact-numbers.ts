// Numbers that JSON.stringify would write in another way than they came: beyond 2^53, 1.0, -0.0, 1e400. Beside its value a
// container keeps their texts, under a symbol, which JSON and schemas do not see and a spread copies. A text is used only
// where it reads as the value that is there, so a copy with another value never gets the number of the first.
import { parseJson } from './parse-json.js';
import { type Container, readJson } from './read-json.js';

/**
 * Texts of numbers by their keys. Every parent of such a container, up to the value of the whole text, has a table too.
 */
export const exactNumbers: unique symbol = Symbol('exactNumbers');

/** Keys of a list are its indexes, as numbers: such a key costs a fraction of a text. */
type Table = Map<string | number, string>;
interface Holder {
  [exactNumbers]?: Table;
}

/** Whether a JSON text may have a number that is written in another way. Some texts that have none match as well. */
export const mayHoldExact = /[[:,]\s*-?(?:\d[\d.]{14}|\d+(?:\.\d*)?[eE]|\d+\.\d*0(?!\d)|0\.0{6})|[[:,]\s*-0(?![.\d])/;

/** As `parseJson`, with the texts of such numbers. @throws SyntaxError */
export function parseExact(text: string): ReturnType<typeof parseJson> {
  const value = parseJson(text);
  if (!mayHoldExact.test(text)) return value;
  const exact = readJson(text, { onWord, onEnd });
  return typeof exact === 'object' && exact !== null && exactNumbers in exact ? exact : value;
}

function onWord(into: Container, key: string | number, text: string, value: unknown): void {
  if (typeof value === 'number' && !isPlain(value, text)) tableOf(into).set(key, text);
  else (into as Holder)[exactNumbers]?.delete(key); // of the same key before, whose value is not the one that is there
}

/** Whether JSON.stringify writes it so. */
function isPlain(value: number, text: string): boolean {
  return String(value) === text && Number.isFinite(value);
}

function onEnd(inner: Container, outer: Container): void {
  if (exactNumbers in inner) tableOf(outer);
}

function tableOf(container: object): Table {
  const holder: Holder = container as object & Holder;
  holder[exactNumbers] ??= new Map();
  return holder[exactNumbers];
}

/** Has a container keep the text of a number in it. */
export function setExact(container: object, key: string | number, text: string): void {
  tableOf(container).set(keyIn(container, key), text);
}

/** Gives a changed copy the texts of what it was made of; those of other values are not used. */
export function keepExact<T extends object>(from: object, copy: T): T {
  const table = (from as Holder)[exactNumbers];
  return table === undefined ? copy : Object.assign(copy, { [exactNumbers]: table });
}

/**
 * Gives a container that was put together the texts of what is in it: the ones that its parts were made of, and those of the
 * containers among its members.
 * @param texts of numbers, by their keys in it @param from what it is a changed copy of
 */
export function gatherExact<T extends object>(made: T, texts: Iterable<[string, string]> = [], from?: object): T {
  const known = from === undefined ? undefined : (from as Holder)[exactNumbers];
  const isHolder = (member: unknown) => typeof member === 'object' && member !== null && exactNumbers in member;
  const own = Array.from(texts, ([key, text]) => [keyIn(made, key), text] as const);
  if (known === undefined && own.length === 0 && !Object.values(made).some(isHolder)) return made;
  return Object.assign(made, { [exactNumbers]: new Map([...(known ?? []), ...own]) });
}

/**
 * A copy of an object or a list with another value under a key that it has; the numbers keep their texts.
 * @param text of the value, where it is a number
 */
export function withMember<T extends object>(container: T, key: string, value: unknown, text?: string): T {
  const copy = (Array.isArray(container) ? [...container] : { ...container }) as T & Holder & Container;
  const table = new Map((container as Holder)[exactNumbers]);
  const isHolder = exactNumbers in container || (typeof value === 'object' && value !== null && exactNumbers in value);
  if (isHolder) copy[exactNumbers] = table;
  Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  if (text !== undefined) onWord(copy, keyIn(copy, key), text, value);
  return copy;
}

/** The text that a number came as, where that is still the number that is there. */
export function exactTextOf(container: object, key: string | number, value: number): string | undefined {
  const text = (container as Holder)[exactNumbers]?.get(keyIn(container, key));
  return text !== undefined && Object.is(Number(text), value) ? text : undefined;
}

/** As `JSON.stringify`, with the texts of numbers that the value has, if any. */
export function exactJson(value: unknown): string {
  const isHolder = typeof value === 'object' && value !== null && exactNumbers in value;
  return isHolder ? writeExact(value) : JSON.stringify(value);
}

/** As `exactJson`, in lines: each level is indented by two spaces. */
export function exactJsonLines(value: unknown): string {
  const isHolder = typeof value === 'object' && value !== null && exactNumbers in value;
  return isHolder ? writeExactLines(value) : JSON.stringify(value, null, 2);
}

function keyIn(container: object, key: string | number): string | number {
  return Array.isArray(container) ? Number(key) : key;
}

/** As `JSON.stringify`, with such numbers unchanged. */
export function writeExact(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const texts = memberTexts(value, ':', writeExact);
  return Array.isArray(value) ? `[${texts.join()}]` : `{${texts.join()}}`;
}

/**
 * As `JSON.stringify(value, null, 2)`, with such numbers unchanged.
 * @param indent of the line that the value begins in
 */
export function writeExactLines(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = `${indent}  `;
  const texts = memberTexts(value, ': ', (member) => writeExactLines(member, inner));
  const [begin, end] = Array.isArray(value) ? '[]' : '{}';
  return texts.length === 0 ? `${begin}${end}` : `${begin}\n${inner}${texts.join(`,\n${inner}`)}\n${indent}${end}`;
}

/** Items of a list; of an object its keys with their values. */
function memberTexts(value: object, colon: string, write: (member: unknown) => string): readonly string[] {
  const textOf = (key: string | number, member: unknown) =>
    (typeof member === 'number' ? exactTextOf(value, key, member) : undefined) ?? write(member);
  if (Array.isArray(value)) return value.map((item, at) => textOf(at, item));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.map(([key, member]) => `${JSON.stringify(key)}${colon}${textOf(key, member)}`);
}

/**
 * One text for a number, however it is written: the one of ECMAScript where a double holds exactly that decimal as
 * it is written, else all of its digits.
 */
export function canonicalNumber(text: string): string {
  const exact = decimalOf(text);
  const value = Number(text);
  const plain = String(value);
  if (Number.isFinite(value) && decimalOf(plain) === exact) return value === 0 ? '0' : plain;
  return exact;
}

/** A longer one is left as it is: it is no number in use, and to read it takes long. */
const longestExponent = 20;

/** Sign, digits without zeros at their ends, and exponent; whole numbers of up to 40 digits without one. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  if (all === '') return '0';
  const digits = trimEnd(all);
  if (exponent.length > longestExponent) return text.toLowerCase();
  // The exponent of the last digit.
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(all.length - digits.length);
  if (power >= 0n && power + BigInt(digits.length) <= 40n) return `${sign}${digits}${'0'.repeat(Number(power))}`;
  return `${sign}${digits}e${power < 0n ? '' : '+'}${power}`;
}

function trimEnd(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
