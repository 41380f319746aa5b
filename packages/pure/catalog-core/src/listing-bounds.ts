// How much one server may list: its URIs are compared with rules and with its templates, and with those of other
// servers. Entries beyond the bounds are left out, from the end of the list.
import {
  isUriTooLong,
  type Limits,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
  type UpstreamDefinitions,
  uriLength,
} from '@portico/contracts';

type Listed = ResourceDefinition | ResourceTemplateDefinition;

export type ListingBounds = Pick<Limits, 'uriCharacters' | 'listedUriCharacters' | 'listedTemplates'>;

/** The bounds in words, for the log. */
export function describeBounds({ uriCharacters, listedUriCharacters, listedTemplates }: ListingBounds): string {
  const each = `URIs and templates of up to ${uriCharacters} percent-encoded characters (limits.uriCharacters)`;
  const all = `${listedUriCharacters} characters of URIs in all (limits.listedUriCharacters)`;
  return `a server may list ${each}, ${all}, and ${listedTemplates} templates (limits.listedTemplates)`;
}

export interface BoundedListing {
  readonly kept: readonly Listed[];
  /** The URIs and templates that are left out. */
  readonly excess: readonly string[];
}

export function withinBounds(
  { resources, resourceTemplates }: UpstreamDefinitions,
  { uriCharacters, listedUriCharacters, listedTemplates }: ListingBounds,
): BoundedListing {
  const kept: Listed[] = [];
  const excess: string[] = [];
  const take = (definition: Listed, text: string, hasRoom: boolean) => {
    const isKept = hasRoom && !isUriTooLong(text, uriCharacters);
    if (isKept) kept.push(definition);
    else excess.push(text);
    return isKept;
  };
  let characters = 0;
  for (const resource of resources) {
    const length = isUriTooLong(resource.uri, uriCharacters) ? 0 : uriLength(resource.uri);
    if (take(resource, resource.uri, characters + length <= listedUriCharacters)) characters += length;
  }
  let templates = 0;
  for (const template of resourceTemplates) {
    if (take(template, template.uriTemplate, templates < listedTemplates)) templates += 1;
  }
  return { kept, excess };
}
