/** Catalogs for tests, from the YAML that an operator would write. */
import { type Catalog, parseCatalog } from '../../server/catalog/parse-catalog.ts';
import type { ToolCatalog } from '../../server/lifecycle/ports/catalog.ts';

/** Throws with every problem in it. */
export function catalogOf(text: string): Catalog {
  const parsed = parseCatalog(text, { env: {}, readFile: () => '' });
  if (parsed.kind === 'invalid') throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.catalog;
}

/** A catalog as the lifecycle asks it. */
export function toolsOf(catalog: Catalog): ToolCatalog {
  return {
    find: (name) => catalog.tools.get(name),
    names: () => [...catalog.tools.keys()],
    endpoints: () => [...catalog.endpoints.keys()],
    answersProbes: (endpoint) => catalog.endpoints.get(endpoint)?.probe ?? false,
  };
}
