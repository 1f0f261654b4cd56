import { ConfigError } from '../platform/config/setting.ts';

/** A result for machines: one line of JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** A result for people. */
export function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** What went wrong, in one piece and without a stack: the message says what to do. */
export function printError(error: unknown, isJson: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  if (!isJson) {
    process.stderr.write(`${message}\n`);
    return;
  }
  const problems = error instanceof ConfigError ? { problems: error.problems } : {};
  process.stderr.write(`${JSON.stringify({ error: message, ...problems })}\n`);
}
