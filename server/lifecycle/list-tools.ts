import type { Tool } from '../domain/tool.ts';
import type { ToolCatalog } from './ports/catalog.ts';

/** The tools as they are declared now, by name: what a harness hands to its model. */
export function listTools(catalog: ToolCatalog): readonly Tool[] {
  return catalog
    .names()
    .toSorted()
    .flatMap((name) => catalog.find(name) ?? []);
}
