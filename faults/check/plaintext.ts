import { runCommand } from '../stage/run-command.ts';
import type { Check } from './check.ts';

/** No file on any machine (data, WAL, logs or any other) may contain the prefix of a value or a card number. */
export const plaintextCheck: Check = {
  name: 'no plaintext anywhere',
  run: async ({ cluster, marker }) => {
    const findings: string[] = [];
    const folders = [...cluster.databases, ...cluster.applications].map(({ host }) => host.folder);
    const patterns = [marker, '4242424242424242'].flatMap((text) => [text, ...encodingsOf(text)]);
    const parameters = ['-rlaF', ...patterns.flatMap((pattern) => ['-e', pattern]), ...folders];
    const found = await runCommand('grep', parameters).catch((error: unknown) => {
      // grep fails if it finds nothing. Files may disappear while it runs.
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

/** Returns the text as it appears in base64, at each of the three possible offsets, and in hexadecimal. */
function encodingsOf(text: string): string[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('\0'.repeat(offset) + text).toString('base64');
    // The first and the last group depend on the bytes next to the text.
    return encoded.slice(offset === 0 ? 0 : 4, Math.floor((offset + text.length) / 3) * 4);
  });
  return [...inBase64, Buffer.from(text).toString('hex')];
}
