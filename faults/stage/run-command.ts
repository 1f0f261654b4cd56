import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a command and returns its output. Throws an error with the command's error output if it fails. */
export async function runCommand(command: string, parameters: readonly string[]): Promise<string> {
  try {
    return (await execute(command, parameters, { maxBuffer: 1 << 28 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[command, ...parameters.slice(-3)].join(' ')}: ${stderr ?? ''}${stdout ?? ''}`, {
      cause: error,
    });
  }
}
