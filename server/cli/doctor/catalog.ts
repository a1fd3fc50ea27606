/** Whether the catalog can be used; or that nobody here can know, since the server that runs was given another. */
import { type LoadedCatalog, loadCatalog } from '../../catalog/load-catalog.ts';
import { isNotSet } from '../../catalog/references.ts';
import type { Config } from '../../config.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const check = 'catalog';

/** The catalog, if it can be used. `runs`: a tether is at the ports of these settings, with an environment of its own. */
export async function checkCatalog(
  { catalog: path }: Config,
  env: NodeJS.ProcessEnv,
  runs: boolean,
): Promise<{ readonly loaded: LoadedCatalog; readonly findings: Finding[] }> {
  const loaded = await loadCatalog(path, env);
  return { loaded, findings: [runs && isOfAnother(loaded, env) ? notSeen(path, loaded) : seen(path, loaded)] };
}

function seen(path: string, loaded: LoadedCatalog): Finding {
  if (loaded.kind === 'ok') {
    const { tools, endpoints } = loaded.catalog;
    return ok(check, `${path} declares ${tools.size} tools at ${endpoints.size} endpoints`);
  }
  const advice =
    loaded.text === null
      ? `set TETHER_CATALOG to where yours is; in a checkout "npm start" brings that of the example`
      : `"tether tools check ${path}" tells everything that is wrong`;
  return fail(check, firstProblem(path, loaded), advice);
}

/** Nobody named a catalog here, or what it takes from the environment is not in this one: the server that runs has both. */
function isOfAnother(loaded: LoadedCatalog, env: NodeJS.ProcessEnv): boolean {
  if (loaded.kind === 'ok') return false;
  const unnamed = loaded.text === null && (env.TETHER_CATALOG ?? '').trim() === '';
  return unnamed || loaded.problems.every(({ message }) => isNotSet(message));
}

function notSeen(path: string, loaded: LoadedCatalog): Finding {
  return warn(
    check,
    `${firstProblem(path, loaded)} The tether that runs has another catalog or environment: whether that is right, and whether whom it names can be reached, could not be looked at`,
    `call the doctor with TETHER_CATALOG, and what the catalog takes from the environment, as that server has them; "npm start" has examples/point-of-sale/tether.yaml, and a POS_SIGNING_SECRET that it makes up at each start unless it is given one`,
  );
}

function firstProblem(path: string, loaded: LoadedCatalog): string {
  const [first, ...more] = loaded.kind === 'ok' ? [] : loaded.problems;
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  const place = first === undefined || first.line === 0 ? path : `${path}:${first.line}`;
  return `${place}: ${first?.message ?? 'it cannot be used'}${others}`;
}
