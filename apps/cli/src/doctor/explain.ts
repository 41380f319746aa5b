// A page of `pages.ts` as text for a terminal, and all of them as a document.
import { type Page, type ProblemCode, pages, problemCodes } from './pages.js';

export function explain(code: ProblemCode): string {
  const { title, meaning, causes, fixes } = pages[code] as Page;
  const list = (items: readonly string[]) => items.map((item) => `  - ${item}`).join('\n');
  return `${code}: ${title}\n\n${meaning}\n\nLikely causes\n${list(causes)}\n\nHow to fix it\n${list(fixes)}\n`;
}

/** docs/troubleshooting.md, which is made from the code. */
export function troubleshootingDocument(): string {
  const sections = problemCodes.map((code) => {
    const { title, meaning, causes, fixes } = pages[code] as Page;
    const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n');
    return `## ${code}\n\n**${title}.** ${meaning}\n\nLikely causes:\n\n${list(causes)}\n\nHow to fix it:\n\n${list(fixes)}\n`;
  });
  return `# Troubleshooting\n\n<!-- Made by \`npm run docs:generate\` from apps/cli/src/doctor/pages.ts. -->\n\n\`portico doctor\` looks at the whole set-up and names what it finds by these codes; \`portico doctor --explain CODE\`\nprints the same pages.\n\n${sections.join('\n')}`;
}
