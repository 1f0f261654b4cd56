import { NextResponse } from 'next/server';

/** What a page may load: its own files, and the card fields of the vault. Next.js puts the nonce on its inline scripts. */
export function proxy(request) {
  const { ELEMENTS_URL } = process.env;
  const nonce = crypto.randomUUID();
  const policy = [
    `default-src 'none'`,
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self'`,
    'img-src data:',
    `connect-src 'self' ${ELEMENTS_URL}`,
    `frame-src ${ELEMENTS_URL}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
  const headers = new Headers(request.headers);
  headers.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}
