import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument } from 'yaml';
import type { Problem } from './problem.ts';

/** Bytes of UTF-8. */
const maxCatalogBytes = 1024 * 1024;

/** Where something stands in a document's structure. */
export type Path = readonly string[];

/** A YAML document as plain data, with the places it came from. */
export interface YamlSource {
  readonly value: unknown;
  /** A problem at the value (or, with `'key'`, at the key) that stands at the path, or at the nearest one around it. */
  problem(path: Path, message: string, at?: 'key' | 'value'): Problem;
}

/** Reads one YAML 1.2 document: no duplicate keys, no tags, no runaway aliases. */
export function readYaml(
  text: string,
): { readonly kind: 'ok'; readonly source: YamlSource } | { readonly kind: 'invalid'; readonly problems: Problem[] } {
  const lines = new LineCounter();
  const problemAt = (offset: number, message: string, path: Path = []): Problem => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), path: path.join('.'), message };
  };
  const bytes = Buffer.byteLength(text);
  if (bytes > maxCatalogBytes) {
    return invalid([problemAt(0, `The file has ${bytes} bytes; at most ${maxCatalogBytes} are read.`)]);
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    return invalid(faults.map(({ code, message, pos }) => problemAt(pos[0], yamlMessage(text, pos[0], code, message))));
  }
  const root = document.contents;
  if (root === null) return invalid([problemAt(0, 'The file is empty; it must at least say "version: 1".')]);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // An alias without its anchor, or too many of them: the library says so only while it resolves them.
    return invalid([problemAt(0, error instanceof Error ? `${error.message}.` : 'Its aliases cannot be resolved.')]);
  }
  const resolve = (node: Node | null | undefined): Node | null | undefined =>
    isAlias(node) ? node.resolve(document) : node;
  return {
    kind: 'ok',
    source: {
      value,
      problem: (path, message, at = 'value') => problemAt(offsetOf(root, path, at, resolve), message, path),
    },
  };
}

function invalid(problems: Problem[]): { readonly kind: 'invalid'; readonly problems: Problem[] } {
  return { kind: 'invalid', problems };
}

function yamlMessage(text: string, offset: number, code: string, message: string): string {
  if (code === 'RESOURCE_EXHAUSTION') return 'The file nests too deeply to be read.';
  if (code === 'MULTIPLE_DOCS') return 'A second document begins here ("---"); a catalog is one.';
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const [line = ''] = text.slice(start).split('\n', 1);
  const hint = line.includes('${') ? ' Inside { } and [ ], a value that begins with ${ must stand in quotes.' : '';
  return `${message.trim()}${/[.!?]$/.test(message.trim()) ? '' : '.'}${hint}`;
}

/** The offset of what stands at the path; of the deepest thing on the way there when it is not written down. */
function offsetOf(
  root: ParsedNode,
  path: Path,
  at: 'key' | 'value',
  resolve: (node: Node | null | undefined) => Node | null | undefined,
): number {
  let offset = root.range[0];
  let node: Node | null | undefined = root;
  for (const [depth, token] of path.entries()) {
    const holder: Node | null | undefined = resolve(node);
    if (isSeq(holder)) {
      const item: unknown = holder.items[Number(token)];
      node = isNode(item) ? item : null;
      offset = node?.range?.[0] ?? offset;
    } else if (isMap(holder)) {
      const pair = holder.items.find(({ key }) => isScalar(key) && String(key.value) === token);
      if (pair === undefined) return offset;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = isNode(pair.value) ? pair.value : null;
      const last = depth === path.length - 1;
      if (last && at === 'value' && (isScalar(node) || isAlias(node))) offset = node.range?.[0] ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}
