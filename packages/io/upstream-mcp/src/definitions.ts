// Brings what a server says of its tools, resources and prompts into the shape the rest relies on. Lenient: a field that
// is not what it should be is dropped, never its entry, and what is not named here stays as the server sent it.
import {
  isJsonObject,
  type JsonObject,
  type PromptDefinition,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
  type ToolAnnotations,
  type ToolDefinition,
} from '@portico/contracts';

/** Told of each dropped field, as `annotations.readOnlyHint`. A null is the same as no field, and not told. */
export type OnDropped = (field: string) => void;

/** For each field of a definition, whether a value will do. */
type Guards<T> = { readonly [K in keyof T]-?: (value: unknown) => value is Exclude<T[K], undefined> };

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isArguments = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.every((item) => isJsonObject(item) && isString(item.name));

const annotationGuards: Guards<ToolAnnotations> = {
  title: isString,
  readOnlyHint: isBoolean,
  destructiveHint: isBoolean,
  idempotentHint: isBoolean,
  openWorldHint: isBoolean,
};
const described = { name: isString, title: isString, description: isString, _meta: isJsonObject };
const toolGuards: Guards<ToolDefinition> = {
  ...described,
  inputSchema: isJsonObject,
  outputSchema: isJsonObject,
  execution: isJsonObject,
  // Any object will do for the moment; what is in it is cleaned by itself.
  annotations: (value): value is ToolAnnotations => isJsonObject(value),
};
const addressed = { ...described, mimeType: isString, annotations: isJsonObject };
const resourceGuards: Guards<ResourceDefinition> = { ...addressed, uri: isString };
const templateGuards: Guards<ResourceTemplateDefinition> = { ...addressed, uriTemplate: isString };
const promptGuards: Guards<PromptDefinition> = { ...described, arguments: isArguments };

export function toTool(entry: JsonObject, name: string, onDropped: OnDropped): ToolDefinition {
  const { annotations } = entry;
  const isAnnotated = isJsonObject(annotations);
  const cleaned = isAnnotated
    ? { ...entry, annotations: cleanAnnotations(annotations, (field) => onDropped(`annotations.${field}`)) }
    : entry;
  const tool = clean(cleaned, toolGuards, onDropped);
  return { ...tool, name, inputSchema: tool.inputSchema ?? {} };
}

export function toResource(entry: JsonObject, uri: string, onDropped: OnDropped): ResourceDefinition {
  const resource = clean(entry, resourceGuards, onDropped);
  return { ...resource, uri, name: resource.name ?? uri };
}

export function toTemplate(entry: JsonObject, uriTemplate: string, onDropped: OnDropped): ResourceTemplateDefinition {
  const template = clean(entry, templateGuards, onDropped);
  return { ...template, uriTemplate, name: template.name ?? uriTemplate };
}

export function toPrompt(entry: JsonObject, name: string, onDropped: OnDropped): PromptDefinition {
  return { ...clean(entry, promptGuards, onDropped), name };
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
  // Each field that T names is gone by now or has passed its guard, which is typed by that very field.
  return kept as Partial<T>;
}
