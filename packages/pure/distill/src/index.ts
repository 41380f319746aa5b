// The public names of @portico/distill: shortening a call's result, and carrying results of a batch into later steps.
// Never contacts anything: data in, data out, and no input is ever changed.
export { type Distilled, distill } from './distill.js';
export { type Modifiers, type TakenModifiers, takeModifiers } from './modifiers.js';
export { type ResolvedReferences, resolveReferences } from './resolve-references.js';
