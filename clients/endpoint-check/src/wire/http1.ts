import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { cutWhy, type Exchange, fieldsOf, mostRead, whyLost } from './exchange.ts';

export const http1: Exchange = ({ method, url, headers, body }, { timeoutMs, cut = false }) =>
  new Promise((resolve) => {
    const lost = (why: string): void => resolve({ kind: 'lost', why });
    const open = url.protocol === 'https:' ? secure : plain;
    const request = open(url, {
      ...{ method, agent: false },
      headers: { ...headers, ...(method === 'GET' ? {} : { 'content-length': String(body.length) }) },
    });
    const timer = setTimeout(() => {
      lost(`there was no answer within ${timeoutMs} ms`);
      request.destroy();
    }, timeoutMs);
    request.on('error', (error) => lost(whyLost(error)));
    request.on('close', () => clearTimeout(timer));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > mostRead) response.destroy();
      });
      response.on('error', (error) => lost(whyLost(error)));
      response.on('close', () => {
        if (!response.complete && size <= mostRead) return lost('the answer broke off');
        const fields = fieldsOf(response.headers);
        resolve({ kind: 'answered', status: response.statusCode ?? 0, fields, body: Buffer.concat(chunks) });
      });
    });
    // Handed to the operating system, whole: what is destroyed now still arrives.
    if (cut) {
      request.on('finish', () => {
        lost(cutWhy);
        request.destroy();
      });
    }
    request.end(body);
  });
