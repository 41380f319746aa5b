// Normalizes a server's tools, resources and prompts. Drops or repairs invalid fields, and keeps unknown fields as the
// server sent them. Leaves an entry out where a repair would change its meaning.
import {
  isJsonObject,
  type JsonObject,
  type PromptDefinition,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
  type ToolAnnotations,
  type ToolDefinition,
} from '@portico/contracts';
import {
  type Checked,
  checkInputSchema,
  checkMembers,
  isExecution,
  isIcons,
  resourceAnnotations,
} from './check-definition.js';

/**
 * Called with each dropped field, as `annotations.readOnlyHint`. A null counts as an absent field and is not reported.
 */
export type OnDropped = (field: string) => void;

/** For each field of a definition, whether a value will do. */
type Guards<T> = { readonly [K in keyof T]-?: (value: unknown) => value is Exclude<T[K], undefined> };

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isSize = (value: unknown): value is number => typeof value === 'number';
const isArguments = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.every((item) => isJsonObject(item) && isString(item.name));

const annotationGuards: Guards<ToolAnnotations> = {
  title: isString,
  readOnlyHint: isBoolean,
  destructiveHint: isBoolean,
  idempotentHint: isBoolean,
  openWorldHint: isBoolean,
};
const described = { name: isString, title: isString, description: isString, icons: isIcons, _meta: isJsonObject };
const toolGuards: Guards<ToolDefinition> = {
  ...described,
  inputSchema: isJsonObject,
  outputSchema: isJsonObject,
  execution: isExecution,
  // Any object will do for the moment; what is in it is cleaned by itself.
  annotations: (value): value is ToolAnnotations => isJsonObject(value),
};
const addressed = { ...described, mimeType: isString, annotations: isJsonObject, size: isSize };
const resourceGuards: Guards<ResourceDefinition> = { ...addressed, uri: isString };
const templateGuards: Guards<ResourceTemplateDefinition> = { ...addressed, uriTemplate: isString };
const promptGuards: Guards<PromptDefinition> = { ...described, arguments: isArguments };

export function toTool(entry: JsonObject, name: string, onDropped: OnDropped): Checked<ToolDefinition> {
  const { annotations } = entry;
  const isAnnotated = isJsonObject(annotations);
  const cleaned = isAnnotated
    ? { ...entry, annotations: cleanAnnotations(annotations, (field) => onDropped(`annotations.${field}`)) }
    : entry;
  const { outputSchema, ...tool } = clean(cleaned, toolGuards, onDropped);
  const inputSchema = checkInputSchema(tool.inputSchema, onDropped);
  if (!inputSchema.ok) return inputSchema;
  const value = { ...tool, name, inputSchema: inputSchema.value };
  if (outputSchema === undefined) return { ok: true, value };
  const output = checkMembers('outputSchema', outputSchema, onDropped);
  if (!output.ok) onDropped('outputSchema'); // results do not depend on it
  return { ok: true, value: output.ok ? { ...value, outputSchema: output.value } : value };
}

export function toResource(entry: JsonObject, uri: string, onDropped: OnDropped): Checked<ResourceDefinition> {
  const resource = clean(withAnnotations(entry, onDropped), resourceGuards, onDropped);
  return { ok: true, value: { ...resource, uri, name: resource.name ?? uri } };
}

export function toTemplate(
  entry: JsonObject,
  uriTemplate: string,
  onDropped: OnDropped,
): Checked<ResourceTemplateDefinition> {
  const template = clean(withAnnotations(entry, onDropped), templateGuards, onDropped);
  return { ok: true, value: { ...template, uriTemplate, name: template.name ?? uriTemplate } };
}

export function toPrompt(entry: JsonObject, name: string, onDropped: OnDropped): Checked<PromptDefinition> {
  const { arguments: given } = entry;
  const cleaned = isArguments(given)
    ? { ...entry, arguments: given.map((one) => cleanArgument(one, (field) => onDropped(`arguments.${field}`))) }
    : entry;
  return { ok: true, value: { ...clean(cleaned, promptGuards, onDropped), name } };
}

/** For each field of an argument of a prompt, whether a value will do. */
const argumentGuards = { name: isString, title: isString, description: isString, required: isBoolean };

const cleanArgument = (argument: JsonObject, onDropped: OnDropped): JsonObject =>
  clean(argument, argumentGuards, onDropped) as JsonObject; // a JSON object with some members less is one

/** An entry with those of its annotations that MCP allows; a null is no annotation. */
function withAnnotations(entry: JsonObject, onDropped: OnDropped): JsonObject {
  const { annotations } = entry;
  if (!isJsonObject(annotations)) return entry;
  const bad = Object.entries(resourceAnnotations).filter(([name, isGood]) => {
    const value = annotations[name];
    return value !== undefined && !isGood(value);
  });
  if (bad.length === 0) return entry;
  const names = bad.map(([name]) => name);
  for (const name of names) if (annotations[name] !== null) onDropped(`annotations.${name}`);
  const kept = Object.entries(annotations).filter(([name]) => !names.includes(name));
  return { ...entry, annotations: Object.fromEntries(kept) };
}

const cleanAnnotations = (annotations: JsonObject, onDropped: OnDropped): JsonObject =>
  // Annotations are JSON as well; their type only lacks the index signature that says so.
  clean(annotations, annotationGuards, onDropped) as JsonObject;

/** The entry without the fields that a guard refuses. */
function clean<T>(entry: JsonObject, guards: Guards<T>, onDropped: OnDropped): Partial<T> {
  const bad = Object.keys(guards).filter((field) => {
    const value = entry[field];
    return value !== undefined && !guards[field as keyof T](value); // a key of guards is a key of T
  });
  for (const field of bad) if (entry[field] !== null) onDropped(field);
  const kept =
    bad.length === 0 ? entry : Object.fromEntries(Object.entries(entry).filter(([name]) => !bad.includes(name)));
  // Each field that T names was removed or has passed its guard, which is typed by that very field.
  return kept as Partial<T>;
}
