// The list of what the control plane keeps in memory, read from its source: a variable of a function counts where a
// function inside it goes on using it and it can change, and so does a field of a class that can.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const source = fileURLToPath(new URL('../../../packages/control-plane/src', import.meta.url));

/** Functions in which everything begins that lives as long as the control plane. */
const roots = ['createControlPlane', 'createEngine'];

interface Kept {
  readonly file: string;
  readonly factory: string;
  readonly variables: readonly string[];
}

/** @returns a document in Markdown; variables of a function that ends with its call are not in it */
export function stateReference(): string {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'))
    .sort();
  const functions = files.flatMap(functionsOf);
  const objects = files.flatMap(classesOf).filter(({ variables }) => variables.length > 0);
  const lasting = reached(functions);
  const kept = functions
    .map(({ file, name, node }): Kept => ({ file, factory: name, variables: variablesOf(node) }))
    .filter(({ variables }) => variables.length > 0);
  const inMemory = ({ factory }: Kept) => /Memory/.test(factory);
  /** Any other function has ended when it returns. */
  const isFactory = ({ factory }: Kept) => /^(create|open|start)/.test(factory);
  const isLasting = ({ factory }: Kept) => lasting.has(factory);
  return [
    '# State of the control plane',
    '',
    'Made from the source by `npm run docs:generate`: the variables, maps, sets, lists and controllers that a function of',
    'the control plane goes on using after it has returned, and the fields of its classes that change. No module keeps any.',
    'Data that has to survive the process is in the stores.',
    '',
    ...section(
      'As long as the control plane',
      kept.filter((each) => isLasting(each) && !inMemory(each)),
    ),
    ...section(
      'For a call, or made before the control plane',
      kept.filter((each) => !isLasting(each) && !inMemory(each) && isFactory(each)),
    ),
    ...section('Objects of a call', objects),
    ...section('Ports in memory, for embedding and tests', kept.filter(inMemory)),
  ].join('\n');
}

function section(title: string, kept: readonly Kept[]): readonly string[] {
  const rows = kept.map(({ file, factory, variables }) => `| \`${factory}\` | ${variables.join(', ')} | \`${file}\` |`);
  return [`## ${title}`, '', '| Function or class | Keeps | File |', '|---|---|---|', ...rows, ''];
}

function declarationsOf({ declarationList }: ts.VariableStatement): readonly ts.VariableDeclaration[] {
  return declarationList.declarations;
}

function classesOf(file: string): readonly Kept[] {
  return statementsOf(file)
    .filter((node) => ts.isClassDeclaration(node))
    .map(({ name, members }) => ({
      file,
      factory: name?.text ?? '',
      variables: members.filter((member) => ts.isPropertyDeclaration(member) && fieldChanges(member)).map(nameOfMember),
    }));
}

function fieldChanges({ modifiers, initializer }: ts.PropertyDeclaration): boolean {
  const isReadonly = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) === true;
  return !isReadonly || isCollection(initializer);
}

const nameOfMember = (member: ts.ClassElement) => (member.name?.getText() ?? '').replace(/^#/, '');

function statementsOf(file: string): readonly ts.Statement[] {
  return [
    ...ts.createSourceFile(file, readFileSync(join(source, file), 'utf8'), ts.ScriptTarget.Latest, true).statements,
  ];
}

interface NamedFunction {
  readonly file: string;
  readonly name: string;
  readonly node: ts.FunctionDeclaration;
}

function functionsOf(file: string): readonly NamedFunction[] {
  const statements = statementsOf(file);
  for (const declaration of statements.filter((node) => ts.isVariableStatement(node)).flatMap(declarationsOf)) {
    if (canChange(declaration)) throw new Error(`${file} keeps state in a module: ${declaration.name.getText()}`);
  }
  return statements
    .filter((node) => ts.isFunctionDeclaration(node))
    .flatMap((node) => (node.name === undefined ? [] : [{ file, name: node.name.text, node }]));
}

/** Names of functions that run while the roots are made: called in their bodies, not in functions inside them. */
function reached(functions: readonly NamedFunction[]): ReadonlySet<string> {
  const byName = new Map(functions.map(({ name, node }) => [name, node]));
  const found = new Set<string>();
  const visit = (name: string): void => {
    const node = byName.get(name);
    if (node === undefined || found.has(name)) return;
    found.add(name);
    eachOfBody(node, (child) => {
      if (ts.isCallExpression(child) && ts.isIdentifier(child.expression)) visit(child.expression.text);
    });
  };
  for (const root of roots) visit(root);
  return found;
}

function variablesOf(node: ts.FunctionDeclaration): readonly string[] {
  const declared: string[] = [];
  eachOfBody(node, (child) => {
    if (ts.isVariableDeclaration(child) && canChange(child)) declared.push(...namesOf(child.name));
  });
  return declared.filter((name) => isUsedInside(node, name));
}

function namesOf(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesOf(element.name) : []));
}

function canChange({ parent, initializer }: ts.VariableDeclaration): boolean {
  if ((parent.flags & ts.NodeFlags.Let) !== 0) return true;
  return isCollection(initializer);
}

function isCollection(initializer: ts.Expression | undefined): boolean {
  const made = initializer?.getText() ?? '';
  return /^new (Map|Set|WeakMap|WeakSet|AbortController)\b/.test(made) || made === '[]' || made === '{}';
}

function isUsedInside(node: ts.FunctionDeclaration, name: string): boolean {
  let isUsed = false;
  const visit = (child: ts.Node, isInside: boolean): void => {
    if (isInside && ts.isIdentifier(child) && child.text === name) isUsed = true;
    child.forEachChild((next) => visit(next, isInside || ts.isFunctionLike(next)));
  };
  node.forEachChild((child) => visit(child, ts.isFunctionLike(child)));
  return isUsed;
}

/** Every node of a function that is not in a function inside it. */
function eachOfBody(node: ts.FunctionDeclaration, look: (child: ts.Node) => void): void {
  const visit = (child: ts.Node): void => {
    if (ts.isFunctionLike(child)) return;
    look(child);
    child.forEachChild(visit);
  };
  node.body?.forEachChild(visit);
}
