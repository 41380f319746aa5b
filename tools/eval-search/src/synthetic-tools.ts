// A made-up catalog of any size for latency figures: names and prose recombined from real tools, the same on every run.
// Never used to judge ranking.
import type { SearchDocument } from '@portico/search';

/** `servers` times `toolsPerServer` documents out of the words of `samples`, plus a word of its own for each. */
export function createSyntheticDocuments(
  samples: readonly SearchDocument[],
  servers: number,
  toolsPerServer: number,
): readonly SearchDocument[] {
  const random = createRandom(1);
  const pick = () => samples[Math.floor(random() * samples.length)] ?? samples[0];
  return Array.from({ length: servers * toolsPerServer }, (_, number) => {
    const [named, described, argued] = [pick(), pick(), pick()];
    if (named === undefined || described === undefined || argued === undefined) throw new Error('samples is empty');
    const server = `server${Math.floor(number / toolsPerServer)}`;
    const tool = `${named.tool}_${number}`;
    return {
      id: `${server}.${tool}`,
      server,
      tool,
      summary: described.summary,
      description: `${described.description} ${toWord(random)}`,
      tags: [server, ...named.tags],
      argumentNames: argued.argumentNames,
      mode: number % 2 === 0 ? 'read' : 'write',
    };
  });
}

function toWord(random: () => number): string {
  return Array.from({ length: 8 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
}

/** Numerical Recipes' linear congruential generator: poor randomness, perfect repeatability. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
