// The removed and added lines between two texts: a longest common subsequence. For texts that fit an editor.

/** Lines with `-`, `+` or a space before them. */
export function diffLines(before: string, after: string): readonly string[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const common = commonLengths(a, b);
  const shown: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      shown.push(` ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      shown.push(`-${a[i]}`);
      i += 1;
    } else {
      shown.push(`+${b[j]}`);
      j += 1;
    }
  }
  return shown;
}

/** Length of the longest common subsequence of what follows i and j. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const lengths: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? [];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
