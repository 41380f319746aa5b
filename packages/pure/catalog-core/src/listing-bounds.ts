// How much one server may list: its URIs are compared with rules and with its templates, and with those of other servers.
// What is beyond the bounds is left out, from the end of the list.
import {
  isUriTooLong,
  maxUriLength,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
  type UpstreamDefinitions,
  uriLength,
} from '@portico/contracts';

type Listed = ResourceDefinition | ResourceTemplateDefinition;

/** Templates of one server. Every URI is compared with each. */
export const maxTemplates = 200;
/** Characters of all URIs of one server, templates left out: 200 for each of 10,000 resources. */
export const maxUriCharacters = 2_000_000;

/** The bounds in words, for the log. */
export const listingBounds = `a server may list URIs and templates of up to ${maxUriLength} percent-encoded characters, ${maxUriCharacters} characters of URIs in all, and ${maxTemplates} templates; no setting changes that`;

export interface BoundedListing {
  readonly kept: readonly Listed[];
  /** The URIs and templates that are left out. */
  readonly excess: readonly string[];
}

export function withinBounds({ resources, resourceTemplates }: UpstreamDefinitions): BoundedListing {
  const kept: Listed[] = [];
  const excess: string[] = [];
  const take = (definition: Listed, text: string, hasRoom: boolean) => {
    const isKept = hasRoom && !isUriTooLong(text);
    if (isKept) kept.push(definition);
    else excess.push(text);
    return isKept;
  };
  let characters = 0;
  for (const resource of resources) {
    const length = isUriTooLong(resource.uri) ? 0 : uriLength(resource.uri);
    if (take(resource, resource.uri, characters + length <= maxUriCharacters)) characters += length;
  }
  let templates = 0;
  for (const template of resourceTemplates) {
    if (take(template, template.uriTemplate, templates < maxTemplates)) templates += 1;
  }
  return { kept, excess };
}
