/** Whether those whom the catalog names can be reached: connected to, TLS included, and sent nothing. */
import type { Catalog } from '../../catalog/parse-catalog.ts';
import { openSocket } from '../../dispatch/wire/open-socket.ts';
import type { EndpointTls } from '../../domain/endpoint.ts';
import { type Finding, fail, ok, warn, wordsOf } from './finding.ts';

interface Place {
  readonly check: string;
  readonly url: string;
  readonly tls: EndpointTls | undefined;
  readonly alpn: string;
}

const patienceMs = 5_000;

export async function checkReach(catalog: Catalog): Promise<Finding[]> {
  return await Promise.all(placesOf(catalog).map(reach));
}

function placesOf({ endpoints, authorizer, webhooks, identity }: Catalog): Place[] {
  const services = [
    ...[...endpoints.values()].map((each) => [`endpoint ${each.name}`, each] as const),
    ...(authorizer === undefined ? [] : [['authorizer', authorizer] as const]),
    ...webhooks.map(({ tenantId, name, settings }) => [`webhook ${tenantId}/${name}`, settings] as const),
  ];
  const issuers = (identity?.issuers ?? []).map(({ issuer, keysUrl, tls }): Place => {
    return { check: `issuer ${issuer}`, url: keysUrl ?? issuer, tls, alpn: 'http/1.1' };
  });
  return [
    ...services.map(([check, { url, tls, transport }]): Place => {
      return { check, url, tls, alpn: transport === 'grpc' ? 'h2' : 'http/1.1' };
    }),
    ...issuers,
  ];
}

async function reach({ check, url, tls, alpn }: Place): Promise<Finding> {
  // Only where it is: a path or query may hold what is nobody's business.
  const { origin } = new URL(url);
  try {
    const socket = await openSocket(new URL(url), tls, alpn, AbortSignal.timeout(patienceMs));
    socket.destroy();
    return ok(check, `${origin} can be reached`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const words = wordsOf(error);
    if (isOfTls(code))
      return fail(
        check,
        `${origin} shows a certificate that is not believed: ${words}`,
        'correct it there, or "tls" in the catalog',
      );
    return warn(
      check,
      `${origin} cannot be reached: ${words}`,
      'calls to it fail until it is there: start it, or correct its url in the catalog',
    );
  }
}

/** What waiting does not heal. */
function isOfTls(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|^ERR_(TLS|SSL)/.test(code);
}
