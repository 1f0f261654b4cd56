import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/**
 * The folder of a separate package, because the generator needs an older TypeScript than the rest of the repository.
 */
export const toolsFolder = path.resolve(import.meta.dirname, '../generated');
const bin = path.join(toolsFolder, 'node_modules/.bin');

/** Installs the packages of its lockfile, unless they are already installed. */
export async function installTools(): Promise<void> {
  if (!existsSync(path.join(bin, 'openapi-typescript')))
    await execute('npm', ['ci', '--ignore-scripts'], { cwd: toolsFolder });
}

export function runTool(tool: string, parameters: readonly string[]): Promise<string> {
  return runProgram(path.join(bin, tool), parameters);
}

/** Runs a program of that package and returns its output. If it fails, the error contains the output. */
export async function runProgram(file: string, parameters: readonly string[]): Promise<string> {
  try {
    return (await execute(process.execPath, [file, ...parameters], { cwd: toolsFolder })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${path.basename(file)} failed: ${stdout}${stderr}`, { cause: error });
  }
}
