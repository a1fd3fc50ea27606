import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { EndpointSettings } from '../domain/endpoint.ts';
import type { Identity } from '../domain/identity.ts';
import type { ToolCatalog } from '../lifecycle/ports/catalog.ts';
import type { WebhookCatalog } from '../lifecycle/ports/webhooks.ts';
import { loadCatalog } from './load-catalog.ts';
import type { Catalog } from './parse-catalog.ts';
import { CatalogInvalid, type Problem, problemText } from './problem.ts';
import type { Surroundings } from './references.ts';

/** The catalog as it is declared now, followed as its file changes. */
export interface LiveCatalog extends ToolCatalog, WebhookCatalog {
  /** The settings of an endpoint; undefined for one that is no longer declared. */
  readonly endpoint: (name: string) => EndpointSettings | undefined;
  /** How the authorizer is reached; undefined when none is declared. */
  readonly authorizer: () => EndpointSettings | undefined;
  /** Whose tokens are credentials; undefined when nobody's are. The same object as long as nothing was read anew. */
  readonly identity: () => Identity | undefined;
  /** How a tenant's webhook is reached; undefined for one that is no longer declared. */
  readonly webhook: (tenantId: string, name: string) => EndpointSettings | undefined;
  /** Reads the file again, all or nothing: with any problem the catalog stays as it was. */
  readonly reload: () => Promise<readonly Problem[]>;
  /** False while the file has problems, and what it said before is in force. */
  readonly isCurrent: () => boolean;
  readonly close: () => Promise<void>;
}

export interface CatalogOptions {
  readonly path: string;
  readonly env: Surroundings['env'];
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Editors write a file in several steps; only the last one is worth reading. */
const settleMs = 50;

/** Loads a catalog and follows its file. Rejects with CatalogInvalid when there is no good one to begin with. */
export async function createCatalog({ path, env, logger }: CatalogOptions): Promise<LiveCatalog> {
  const file = basename(path);
  const first = await loadCatalog(path, env);
  if (first.kind === 'invalid') throw new CatalogInvalid(path, first.problems);
  let current: Catalog = first.catalog;
  let text = first.text;
  let isCurrent = true;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Reloads happen one after the other, so that an older text never wins. */
  let running: Promise<unknown> = Promise.resolve();

  const load = async (onlyIfChanged: boolean): Promise<readonly Problem[]> => {
    const loaded = await loadCatalog(path, env);
    if (closed || (onlyIfChanged && loaded.text === text)) return [];
    text = loaded.text;
    isCurrent = loaded.kind !== 'invalid';
    if (loaded.kind === 'invalid') {
      const problems = loaded.problems.map((problem) => problemText(path, problem));
      logger.error({ problems }, `${file} cannot be used; the catalog stays as it was`);
      return loaded.problems;
    }
    current = loaded.catalog;
    logger.info({ tools: current.tools.size, endpoints: current.endpoints.size }, `${file} was read again`);
    return [];
  };
  const next = (onlyIfChanged: boolean): Promise<readonly Problem[]> => {
    const result = running.then(() => load(onlyIfChanged));
    running = result.catch((error: unknown) => logger.error({ err: error }, `${file} could not be read again`));
    return result;
  };

  // The directory is watched, not the file: editors and Kubernetes put a new file in its place. Which name the event
  // carries depends on how (a rename, a swapped link), so every event asks, and the text decides.
  const watcher = follow(dirname(resolve(path)), logger, () => {
    clearTimeout(timer);
    timer = setTimeout(() => void next(true).catch(() => undefined), settleMs).unref();
  });

  return {
    find: (name) => current.tools.get(name),
    names: () => [...current.tools.keys()],
    endpoints: () => [...current.endpoints.keys()],
    answersProbes: (endpoint) => current.endpoints.get(endpoint)?.probe ?? false,
    endpoint: (name) => current.endpoints.get(name),
    authorizer: () => current.authorizer,
    identity: () => current.identity,
    webhooks: () => current.webhooks,
    webhook: (tenantId, name) =>
      current.webhooks.find((each) => each.tenantId === tenantId && each.name === name)?.settings,
    reload: () => next(false),
    isCurrent: () => isCurrent,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      watcher?.close();
      await running;
    },
  };
}

function follow(directory: string, logger: CatalogOptions['logger'], changed: () => void): FSWatcher | undefined {
  const warn = (error: unknown): void =>
    logger.warn({ err: error }, 'the catalog cannot be watched; changes are read on SIGHUP and at the next start');
  try {
    return watch(directory, { persistent: false }, changed).on('error', warn);
  } catch (error) {
    warn(error);
    return undefined;
  }
}
