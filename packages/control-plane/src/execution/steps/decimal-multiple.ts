// Whether one number is a multiple of another, by their decimal digits: in doubles 19.99 is no multiple of 0.01.

/** Whether `value` is a whole number of times `divisor`. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (divisor === 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [a, b] = [decimalOf(value), decimalOf(divisor)];
  if (a === undefined || b === undefined) return false;
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (decimal: Decimal) => decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
  return scaled(a) % scaled(b) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal that is read as this double; undefined for what is no number. */
function decimalOf(value: number): Decimal | undefined {
  const found = /^(-?\d)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential());
  if (found === null) return undefined;
  const [, first = '0', rest = '', exponent = '0'] = found;
  return { digits: BigInt(first + rest), exponent: Number(exponent) - rest.length };
}
