import type { EndpointTransport } from '../domain/endpoint.ts';

/** Why a URL cannot be an endpoint's; undefined when it can. Messages never repeat it: it may hold a secret. */
export function endpointUrlFault(text: string, transport: EndpointTransport): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    return 'Must be a URL that begins with http:// or https:// and names a host, like http://127.0.0.1:8090/tools.';
  }
  if (url.username !== '' || url.password !== '') {
    return 'Must not hold a user or password: put the secret into bearer_token, by reference.';
  }
  if (url.hash !== '') return 'Must not end in a fragment (#…): it would not be sent.';
  if (transport !== 'json' && url.search !== '')
    return `Must not have a query (?…): ${transport} appends its own path.`;
  return undefined;
}
