import { describe, expect, it } from 'vitest';
import type { SeenRequest } from '../../http/requests/seen-request.ts';
import { renderRequestLine } from './dev-request-line.ts';

const at = new Date(2026, 0, 2, 3, 4, 5);
const seen: SeenRequest = { method: 'GET', path: '/tokens', status: 200, durationMs: 3.6, caller: undefined };

describe('the line of a request', () => {
  it('says when, what, how it ended, how long it took and who asked', () => {
    expect(renderRequestLine(seen, undefined, at)).toBe('03:04:05  GET    /tokens  200  4 ms  no key');
  });

  it('says that nobody waited for the response', () => {
    expect(renderRequestLine({ ...seen, status: undefined }, undefined, at)).toContain(
      '/tokens  client disconnected  no',
    );
  });

  it('is one line, whatever a path or a name contains', () => {
    const hostile = '/a\r\n00:00:00  GET    /b\u001b[2J\u202e';
    const line = renderRequestLine({ ...seen, path: hostile }, undefined, at);
    expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});
