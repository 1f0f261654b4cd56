import { createInterface } from 'node:readline/promises';
import { type EmailAddress, parseEmailAddress } from '../../core/identity/email-address.ts';

const triesMax = 3;

/**
 * Asks on the terminal for the owner's address. Returns undefined if there is nobody to ask. The question goes to
 * standard error, because standard output is for the result.
 */
export async function askOwnerEmail(): Promise<EmailAddress | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D and Ctrl-C close the terminal before an address is entered.
  const closed = new Promise<undefined>((resolve) => {
    terminal.once('close', () => resolve(undefined));
  });
  try {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const answer = await Promise.race([terminal.question("Owner's e-mail address (Enter for none): "), closed]);
      if (answer === undefined) throw new Error('No address was entered. Nothing was created.');
      if (answer.trim() === '') return undefined;
      const email = parseEmailAddress(answer.trim());
      if (email !== undefined) return email;
      process.stderr.write('This is not an e-mail address such as name@example.com.\n');
    }
  } finally {
    terminal.close();
  }
  throw new Error('No e-mail address was entered. Nothing was created.');
}
