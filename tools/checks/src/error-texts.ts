// Reads the texts of the errors that the product creates from its sources: of every class that extends Error, through the
// constants and functions of a file. Texts that are put together in another file are not found.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../../build/workspace.mjs';
import { productFiles } from '../product-files.mjs';

export interface Raised {
  readonly place: string;
  readonly className: string;
  /** The code of a CallFailure or PorticoError. */
  readonly code: string | undefined;
  /** With `${}` in place of each value. */
  readonly text: string;
}

/** Classes of libraries and of the language. */
const givenClasses = [
  'Error',
  'InvalidArgumentError',
  'MissingRequiredClientCapabilityError',
  'ProtocolError',
  'RangeError',
  'TypeError',
];

const trees = productFiles().map((file) => ({
  file,
  tree: ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true),
}));
const classes = new Set([...givenClasses, ...trees.flatMap(({ tree }) => nodesOf(tree).flatMap(errorClassIn))]);

/** The text of each error that the product creates, one for each branch of a condition. */
export function readErrorTexts(): readonly Raised[] {
  return trees.flatMap(raisedIn);
}

function errorClassIn(node: ts.Node): string[] {
  if (!ts.isClassDeclaration(node) || node.name === undefined) return [];
  const isError = node.heritageClauses?.some((clause) =>
    /^extends \w*(Error|Failure|Refused|InvalidConfig)\b/.test(clause.getText()),
  );
  return isError === true ? [node.name.text] : [];
}

function raisedIn({ file, tree }: (typeof trees)[number]): Raised[] {
  const texts = createTexts(tree);
  return nodesOf(tree).flatMap((node) => {
    if (!ts.isNewExpression(node) || !classes.has(node.expression.getText())) return [];
    const given = (node.arguments ?? []).flatMap((argument) => texts(argument));
    const code = given.find((text) => /^[A-Z_]+$/.test(text));
    const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const common = { place: `${file}:${line}`, className: node.expression.getText(), code };
    return given.filter((text) => text !== code && text.includes(' ')).map((text) => ({ ...common, text }));
  });
}

function nodesOf(tree: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The texts that an expression may have: through constants and functions of its file, and the issues of a configuration. */
function createTexts(tree: ts.SourceFile) {
  const values = new Map<string, ts.Expression[]>();
  const add = (name: string, value: ts.Expression) => values.set(name, [...(values.get(name) ?? []), value]);
  for (const node of nodesOf(tree)) {
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isIdentifier(node.name))
      add(node.name.text, node.initializer);
    if (ts.isFunctionDeclaration(node) && node.name !== undefined)
      for (const part of returnsOf(node)) add(`${node.name.text}()`, part);
  }
  const textsOf = (node: ts.Expression, depth: number): string[] => {
    const inner = (part: ts.Expression | undefined) => (part === undefined ? [] : textsOf(part, depth + 1));
    if (depth > 6) return [];
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isTemplateExpression(node))
      return [node.head.text + node.templateSpans.map(({ literal }) => `\${}${literal.text}`).join('')];
    if (ts.isConditionalExpression(node)) return [...inner(node.whenTrue), ...inner(node.whenFalse)];
    if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(inner);
    if (ts.isObjectLiteralExpression(node)) return node.properties.flatMap((property) => inner(messageIn(property)));
    if (ts.isIdentifier(node)) return (values.get(node.text) ?? []).flatMap(inner);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
      return (values.get(`${node.expression.text}()`) ?? []).flatMap(inner);
    return [];
  };
  return (node: ts.Expression) => textsOf(node, 0);
}

function returnsOf(declaration: ts.FunctionDeclaration): ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && node !== declaration) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return found;
}

function messageIn(property: ts.ObjectLiteralElementLike): ts.Expression | undefined {
  if (property.name?.getText() !== 'message') return undefined;
  if (ts.isShorthandPropertyAssignment(property)) return property.name;
  return ts.isPropertyAssignment(property) ? property.initializer : undefined;
}
