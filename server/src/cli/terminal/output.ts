import { withEscapedControls, withoutControls } from '../../core/text/one-line.ts';
import { ConfigError } from '../../platform/config/config-error.ts';
import type { ConfigWarning } from '../../platform/config/config-warnings.ts';

/** Prints a machine-readable result as one line of JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${withEscapedControls(JSON.stringify(value))}\n`);
}

/**
 * Prints a human-readable result. The code that assembles the text must reduce values chosen by others to one line
 * (`toOneLine`).
 */
export function printText(text: string): void {
  process.stdout.write(`${withoutControls(text)}\n`);
}

/** Prints an error and its causes without a stack, because the message says what to do. */
export function printError(error: unknown, isJson: boolean): void {
  const [message = '', ...causes] = messagesOf(error);
  if (!isJson) {
    const lines = [message, ...causes.map((cause) => `  because: ${cause}`), ''];
    process.stderr.write(lines.map(withoutControls).join('\n'));
    return;
  }
  const problems = error instanceof ConfigError ? { problems: error.problems } : {};
  process.stderr.write(
    `${withEscapedControls(JSON.stringify({ error: message, ...(causes.length > 0 ? { causes } : {}), ...problems }))}\n`,
  );
}

/** Prints a warning to standard error, so that it does not mix with the result. */
export function printWarning({ variable, warning }: ConfigWarning, isJson: boolean): void {
  const text = `${variable} ${warning}`;
  process.stderr.write(
    `${isJson ? JSON.stringify({ warning: text, variable }) : withoutControls(`Warning: ${text}`)}\n`,
  );
}

function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const causes = error.cause === undefined ? [] : messagesOf(error.cause);
  // If all addresses of a name refuse a connection, Node wraps the errors in one without a message.
  const inner = error instanceof AggregateError ? error.errors.flatMap(messagesOf) : [];
  return [error.message, ...inner, ...causes].filter((message) => message !== '');
}
