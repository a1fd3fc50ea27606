import { posix } from 'node:path';

/**
 * A document as it stands in a package: a link into the package stays, one that leaves it says in words where that is in the
 * repository. `moved` tells where a file of the package's folder is in what is published; undefined where it is not.
 */
export function documentFor(text: string, folder: string, moved: (path: string) => string | undefined): string {
  return text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, words: string, target: string) => {
    if (/^([a-z]+:|#)/.test(target)) return link;
    const [path = ''] = target.split('#');
    const within = moved(posix.normalize(path));
    if (within !== undefined) return `[${words}](${within})`;
    const place = posix.join(folder, path);
    return words === place ? `\`${place}\` of Tether's repository` : `${words} (\`${place}\` of Tether's repository)`;
  });
}
