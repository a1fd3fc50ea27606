/** What cannot work about `tls` is a problem of the catalog, and no message shows a key. */
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseCatalog } from '../../server/catalog/parse-catalog.ts';
import { authority, caller, stranger } from '../dispatch/certificates.ts';

const files: Readonly<Record<string, string>> = {
  'ca.pem': authority,
  'own.pem': caller.cert,
  'own.key': caller.key,
  'stranger.key': stranger.key,
  'words.pem': 'no certificate',
};

function parse(tls: string, url = 'https://pos.example/tools') {
  const text = `version: 1
endpoints:
  pos:
    transport: json
    url: ${url}
    tls: ${tls}
tools: {}
`;
  return parseCatalog(text, {
    env: {},
    readFile: (path) => {
      const found = files[path];
      if (found === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return found;
    },
  });
}

function tlsOf(tls: string) {
  const parsed = parse(tls);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.catalog.endpoints.get('pos')?.tls;
}

function problemsOf(...parameters: Parameters<typeof parse>) {
  const parsed = parse(...parameters);
  if (parsed.kind === 'ok') throw new Error('the catalog was accepted');
  return parsed.problems;
}

const whole = '{ ca_file: ca.pem, cert_file: own.pem, key_file: own.key }';

describe('tls', () => {
  test('is what its files say', () => {
    expect(tlsOf(whole)?.options()).toEqual({ ca: authority, cert: caller.cert, key: caller.key });
    expect(tlsOf('{ ca_file: ca.pem }')?.options()).toEqual({ ca: authority, cert: undefined, key: undefined });
  });

  test('is the same as long as its files are', () => {
    expect(tlsOf(whole)?.id).toBe(tlsOf(whole)?.id);
    expect(tlsOf(whole)?.id).not.toBe(tlsOf('{ ca_file: ca.pem }')?.id);
  });

  test('shows no key to whoever prints it', () => {
    const printed = `${JSON.stringify(tlsOf(whole))}${inspect(tlsOf(whole), { depth: null, showHidden: true })}`;
    for (const line of caller.key.split('\n').filter((each) => each.length > 20)) expect(printed).not.toContain(line);
    expect(printed).not.toContain('PRIVATE KEY');
  });

  test.each<[string, string, string]>([
    ['{ cert_file: own.pem }', 'tls', 'cert_file and key_file stand together'],
    ['{ key_file: own.key }', 'tls', 'cert_file and key_file stand together'],
    ['{ cert_file: own.pem, key_file: stranger.key }', 'tls.key_file', 'not the key of the certificate'],
    ['{ ca_file: words.pem }', 'tls.ca_file', 'no certificate'],
    ['{ cert_file: own.key, key_file: own.key }', 'tls.cert_file', 'no certificate'],
    ['{ cert_file: own.pem, key_file: own.pem }', 'tls.key_file', 'no private key'],
    ['{ ca_file: gone.pem }', 'tls.ca_file', 'cannot be read (ENOENT)'],
    ['{ ca: ca.pem }', 'tls.ca', 'Accepted: ca_file, cert_file, key_file.'],
    ['{}', 'tls', 'Must not be empty.'],
    ['s3cret', 'tls', 'names files in PEM'],
    ['{ key_file: [s3cret] }', 'tls.key_file', 'never what stands in it'],
    ['{ cert_file: own.pem, key_file: s3cret }', 'tls.key_file', 'cannot be read (ENOENT)'],
  ])('%s is refused', (tls, path, message) => {
    const problems = problemsOf(tls);
    expect(problems).toEqual([
      expect.objectContaining({ line: 6, path: `endpoints.pos.${path}`, message: expect.stringContaining(message) }),
    ]);
    expect(JSON.stringify(problems)).not.toMatch(/s3cret|BEGIN/);
  });

  test('beside a url without TLS is refused: somebody would rely on it', () => {
    const [problem, ...others] = problemsOf(whole, 'http://pos.example/tools');
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: 'endpoints.pos.tls', message: expect.stringContaining('https://') });
  });
});
