import { type Agent, request } from 'node:http';

export interface ExactAnswer {
  readonly status: number;
  /** Status, headers and body as one text. Headers keep their order and spelling. The date is omitted. */
  readonly bytes: string;
}

/** Sends a request and keeps the complete response, so that two responses can be compared byte by byte. */
export function requestExactly(
  url: string,
  options: {
    readonly method: string;
    readonly agent: Agent;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
  },
): Promise<ExactAnswer> {
  const { method, agent, body } = options;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...options.headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const status = answer.statusCode ?? 0;
        const headers = toLines(answer.rawHeaders).filter((line) => !/^date:/i.test(line));
        resolve({ status, bytes: [status, ...headers, '', Buffer.concat(chunks).toString('latin1')].join('\r\n') });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function toLines(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
}
