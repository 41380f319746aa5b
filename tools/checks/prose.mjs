// Extracts the prose of a file: comments, messages and test titles of a program, the text of a Markdown page.
import ts from 'typescript';

/**
 * @typedef {object} Prose
 * @property {string} text
 * @property {number} start where `text` begins in the file
 * @property {boolean} [isHeading]
 */

/**
 * @param {string} file its name says how to read it
 * @param {string} source
 * @returns {Prose[]}
 */
export function proseOf(file, source) {
  return file.endsWith('.md') ? proseOfMarkdown(source) : proseOfProgram(file, source);
}

/** Code is left out, as a block or within a line. */
function proseOfMarkdown(source) {
  const text = source
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, blank)
    .replace(/`[^`\n]+`/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/<!--[\s\S]*?-->/g, blank);
  let at = 0;
  return text.split(/(?<=\n)/).reduce((pieces, line) => {
    const startsPiece = /^\s*($|#|[-*|>]|\d+\.)/.test(line) || pieces.at(-1)?.isHeading === true;
    if (startsPiece || pieces.length === 0) pieces.push({ text: line, start: at, isHeading: /^#/.test(line) });
    else pieces[pieces.length - 1].text += line;
    at += line.length;
    return pieces;
  }, []);
}

/**
 * Literals are blanked first, so that comments can be found without knowing the grammar.
 * Lines of `//` that follow each other are one comment.
 */
function proseOfProgram(file, source) {
  const isTest = /\.(test|e2e|browser)\.\w+$/.test(file);
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const pieces = [];
  let rest = source;
  const visit = (node) => {
    if (isLiteral(node)) {
      rest = blankSpan(rest, node.getStart(tree), node.end);
      if (isTest ? isTitle(node) : node.text.includes(' '))
        pieces.push({ text: node.text, start: node.getStart(tree) + 1 });
    } else if (ts.isRegularExpressionLiteral(node)) rest = blankSpan(rest, node.getStart(tree), node.end);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  for (const { 0: comment, index } of rest.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*(?:\n\s*\/\/.*)*/g)) {
    const text = comment.replace(/^\/\*\*?|\*\/$|^\s*\/\/|^\s*\*(?!\/)/gm, blank).replace(/`[^`\n]*`/g, blank);
    pieces.push({ text, start: index });
  }
  return pieces;
}

function isLiteral(node) {
  return (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node) ||
    ts.isJsxText(node)
  );
}

/** The first argument of `it`, `test` or `describe`, also of `it.each(cases)`. */
function isTitle(node) {
  const call = ts.isTemplateExpression(node.parent) ? node.parent.parent : node.parent;
  return (
    ts.isCallExpression(call) &&
    /^(it|test|describe)\b/.test(call.expression.getText()) &&
    node.pos <= call.arguments[0].end
  );
}

function blankSpan(text, start, end) {
  return text.slice(0, start) + blank(text.slice(start, end)) + text.slice(end);
}

/** Keeps places: as long as before, with its line breaks. */
function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}
