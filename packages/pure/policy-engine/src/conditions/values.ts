// Reads and compares the values of a condition, which are those of JSON. A number counts only if it is exactly the one
// that was sent: a server may read more digits than a number of JavaScript has.
import { exactTextOf, isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { fail, type Meter, spend, spendOnText } from './meter.js';

export type Value = JsonValue;

export type ValueType = 'bool' | 'number' | 'string' | 'list' | 'map' | 'null';

export function typeOf(value: Value): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'map';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'number' : 'string';
}

/** @throws ConditionFailure for a number that JavaScript does not hold as it was sent */
function exactly(meter: Meter, container: object, key: string | number, value: Value, text: string): Value {
  if (typeof value !== 'number') return value;
  const sent = exactTextOf(container, key, value);
  if (sent === undefined) return value;
  spendOnText(meter, sent.length);
  return decimalOf(sent) === decimalOf(String(value)) ? value : fail(meter, `${text} is a number with too many digits`);
}

/** The digits without zeros at both ends, and their power of ten; what is no decimal number is itself. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === '') return text;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return short === '' ? '0' : `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`;
}

/** The own member of a map; undefined if it has none. @param text of the expression that reads it, for the message */
export function memberOf(meter: Meter, map: JsonObject, key: string, text: string): Value | undefined {
  if (!Object.hasOwn(map, key)) return undefined;
  const value = map[key];
  return value === undefined ? undefined : exactly(meter, map, key, value, text);
}

/** @param index within the list */
export function itemOf(meter: Meter, list: readonly Value[], index: number, text: string): Value {
  return exactly(meter, list, index, list[index] ?? null, text);
}

/** Whether two values are equal, at every depth. Values of different types differ. @throws StepsUsedUp */
export function areEqual(meter: Meter, a: Value, b: Value): boolean {
  spend(meter, 1);
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length !== b.length) return false;
    spendOnText(meter, a.length);
    return a === b;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return (
      a.length === b.length &&
      a.every((_, at) => areEqual(meter, itemOf(meter, a, at, 'an item'), itemOf(meter, b, at, 'an item')))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  spend(meter, keys.length);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => {
    const [own, other] = [memberOf(meter, a, key, 'a member'), memberOf(meter, b, key, 'a member')];
    return own !== undefined && other !== undefined && areEqual(meter, own, other);
  });
}
