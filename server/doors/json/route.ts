import type { Rpc } from '../rpc/rpc.ts';

/** One way into the JSON door: an RPC, and how its request is put together from path, query, header and body. */
export interface Route {
  readonly verb: 'GET' | 'POST';
  /** With `{…}` where a part of the path fills a field. */
  readonly path: string;
  readonly method: Rpc['method'];
  /** The field that the `{…}` fills, by its name in the contract. */
  readonly pathField?: string;
  /** The field that the Idempotency-Key header fills, by its name in the contract. */
  readonly keyField?: string;
  /** Fields that this route does not take, by their names in the contract: another route is for them. */
  readonly without?: readonly string[];
  /**
   * How the answer is said: `message` member by member as the contract has it, `verdict` as a confirm's, `verdicts` as several
   * of them, `stream` one answer to a line.
   */
  readonly answer: 'message' | 'verdict' | 'verdicts' | 'stream';
}

/** A path whose variable parts are matched. */
export interface Match {
  readonly route: Route;
  /** What stands in the path for the `{…}`, decoded; undefined when it is no UTF-8. */
  readonly parameter: string | undefined;
}

/** Every route of a path, whatever its verb; paths without a variable part go first. */
export function routesOf(routes: readonly Route[], path: string): readonly Match[] {
  const plain = routes.filter((route) => route.path === path);
  if (plain.length > 0) return plain.map((route) => ({ route, parameter: undefined }));
  return routes.flatMap((route) => {
    const [before, after] = route.path.split(/\{\w+\}/);
    if (before === undefined || after === undefined) return [];
    if (!path.startsWith(before) || !path.endsWith(after)) return [];
    const part = path.slice(before.length, path.length - after.length);
    return part === '' || part.includes('/') ? [] : [{ route, parameter: decoded(part) }];
  });
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
