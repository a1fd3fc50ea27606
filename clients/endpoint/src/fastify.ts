/** Serves an endpoint as plain JSON from Fastify. */
import type { FastifyPluginAsync } from 'fastify';
import type { Endpoint } from './endpoint.ts';
import { answerJson, jsonType } from './json/answer-json.ts';

/**
 * A plugin: `app.register(fastifyEndpoint(endpoint), { prefix: '/tools' })`. It takes the bodies of its own route as bytes; the
 * parsers of the rest of your server stay as they are.
 */
export function fastifyEndpoint(endpoint: Endpoint): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.post('/', { bodyLimit: endpoint.maxRequestBytes }, async (request, reply) => {
      const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const { status, body } = await answerJson(endpoint, bytes, (name) => {
        const value = request.headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      });
      return reply.code(status).header('content-type', jsonType).send(body);
    });
  };
}
