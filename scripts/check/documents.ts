import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { Verdict } from './step.ts';

/** Every npm script, file and section that a document sends its reader to is there. */
export async function documentsHold(): Promise<Verdict> {
  const documents = globSync('**/*.md', { exclude: ['**/node_modules', '.tether'] });
  const scripts = await npmScripts();
  const faults = await Promise.all(
    documents.map(async (document) => {
      const text = await readFile(document, 'utf8');
      return [...missingScripts(text, scripts), ...missingPrograms(text), ...(await deadLinks(document, text))].map(
        (fault) => `${document}: ${fault}`,
      );
    }),
  );
  const output = faults.flat().join('\n');
  return { ok: output === '', output: output && `${output}\n`, note: `${documents.length} documents` };
}

async function npmScripts(): Promise<Set<string>> {
  const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8'));
  const scripts = typeof manifest === 'object' && manifest !== null && 'scripts' in manifest ? manifest.scripts : {};
  return new Set(Object.keys(scripts ?? {}));
}

function missingScripts(text: string, scripts: ReadonlySet<string>): string[] {
  const named = text.matchAll(/\bnpm (?:run ([a-z][\w:-]*)|(start|test)\b)/g);
  return [...named]
    .map(([, run, short]) => run ?? short ?? '')
    .filter((script) => !scripts.has(script))
    .map((script) => `npm script "${script}" does not exist`);
}

function missingPrograms(text: string): string[] {
  return [...text.matchAll(/\bnode ([\w./-]+\.(?:ts|js|mjs))\b/g)]
    .map(([, path]) => path ?? '')
    .filter((path) => !existsSync(path))
    .map((path) => `program "${path}" does not exist`);
}

async function deadLinks(document: string, text: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [, target = ''] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? document : normalize(join(dirname(document), path));
    if (!existsSync(file)) faults.push(`link "${target}" leads nowhere`);
    else if (anchor !== undefined && !sectionsOf(await readFile(file, 'utf8')).has(anchor))
      faults.push(`link "${target}" leads to no section`);
  }
  return faults;
}

/** The anchors that a Markdown viewer makes of a document's headings. */
function sectionsOf(text: string): Set<string> {
  return new Set(
    [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '');
}
