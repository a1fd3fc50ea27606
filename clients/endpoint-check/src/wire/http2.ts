import { connect } from 'node:http2';
import { cutWhy, type Exchange, fieldsOf, mostRead, whyLost } from './exchange.ts';

export const http2: Exchange = ({ method, url, headers, body }, { timeoutMs, cut = false }) =>
  new Promise((resolve) => {
    const session = connect(url.origin);
    const done: typeof resolve = (exchanged) => {
      clearTimeout(timer);
      resolve(exchanged);
      session.destroy();
    };
    const lost = (why: string): void => done({ kind: 'lost', why });
    const timer = setTimeout(() => lost(`there was no answer within ${timeoutMs} ms`), timeoutMs);
    session.on('error', (error) => lost(whyLost(error)));
    session.on('close', () => lost('the connection was closed'));
    const stream = session.request({ ':method': method, ':path': url.pathname + url.search, ...headers });
    const chunks: Buffer[] = [];
    let fields: Record<string, string> = {};
    let size = 0;
    stream.on('response', (said) => {
      fields = fieldsOf(said);
    });
    stream.on('trailers', (said) => {
      fields = { ...fields, ...fieldsOf(said) };
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= mostRead) chunks.push(chunk);
      else stream.destroy();
    });
    stream.on('error', (error) => lost(whyLost(error)));
    stream.on('close', () => {
      if (fields[':status'] === undefined) return lost('the stream was closed without an answer');
      done({ kind: 'answered', status: Number(fields[':status']), fields, body: Buffer.concat(chunks) });
    });
    // The answer to a ping says that all that was sent before it has arrived.
    if (cut) stream.on('finish', () => session.ping(() => lost(cutWhy)));
    stream.end(body);
  });
