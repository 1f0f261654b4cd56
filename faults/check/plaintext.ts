import { runCommand } from '../stage/run-command.ts';
import type { Check } from './check.ts';

/** No file of any machine contains the beginning of a value, or the number of a card: data, WAL, logs, whatever was written. */
export const plaintextCheck: Check = {
  name: 'no plaintext anywhere',
  run: async ({ cluster, marker }) => {
    const findings: string[] = [];
    const folders = [...cluster.databases, ...cluster.applications].map(({ host }) => host.folder);
    const patterns = [marker, '4242424242424242'].flatMap((text) => [text, ...encodingsOf(text)]);
    const parameters = ['-rlaF', ...patterns.flatMap((pattern) => ['-e', pattern]), ...folders];
    const found = await runCommand('grep', parameters).catch((error: unknown) => {
      // grep fails if it finds nothing; files may vanish while it looks.
      return String(error)
        .replaceAll(/^.*No such file.*$/gm, '')
        .split('\n')
        .filter((line) => line.startsWith('/'))
        .join('\n');
    });
    for (const file of found.split('\n').filter(Boolean)) findings.push(`${file} contains a value`);
    return findings;
  },
};

/** The same text as it looks inside base64, in each of the three places where it may begin, and in hexadecimal. */
function encodingsOf(text: string): string[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('\0'.repeat(offset) + text).toString('base64');
    // The first and the last group depend on what is beside the text.
    return encoded.slice(offset === 0 ? 0 : 4, Math.floor((offset + text.length) / 3) * 4);
  });
  return [...inBase64, Buffer.from(text).toString('hex')];
}
