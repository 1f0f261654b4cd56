import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const marker = 'page-shell-section-is-over';

interface Options {
  /** The folder that the commands run in. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Changes a block before it runs, such as its ports. */
  readonly adapt: (block: string) => string;
}

/** A terminal in which a test runs the shell blocks of a documentation page, one section after the other. */
export class PageShell implements AsyncDisposable {
  readonly #sections: ReadonlyMap<string, readonly string[]>;
  readonly #options: Options;
  readonly #bash: ChildProcess;
  #output = '';
  #count = 0;

  static async start(page: string, options: Options): Promise<PageShell> {
    return new PageShell(sectionsOf(await readFile(page, 'utf8')), options);
  }

  private constructor(sections: ReadonlyMap<string, readonly string[]>, options: Options) {
    this.#sections = sections;
    this.#options = options;
    this.#bash = spawn('bash', ['-Eeuo', 'pipefail'], { cwd: options.folder, env: { ...options.environment } });
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** Runs all shell blocks below a heading, and returns what they print. */
  section(heading: string): Promise<string> {
    const blocks = this.#sections.get(heading);
    if (blocks === undefined) throw new Error(`The page has no shell commands below "${heading}".`);
    return this.run(blocks.map((block) => this.#options.adapt(block)).join('\n'));
  }

  /** Runs commands that are not on the page, and returns what they print. Throws if one of them fails. */
  async run(commands: string): Promise<string> {
    const file = path.join(this.#options.folder, `section-${this.#count++}.sh`);
    await writeFile(file, commands);
    this.#output = '';
    const over = this.#untilOver();
    this.#bash.stdin?.write(`source '${file}' </dev/null; echo ${marker}\n`);
    await over;
    return this.#output.replace(`${marker}\n`, '');
  }

  /** Ends bash, and every program whose process id it wrote into a file. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#bash.kill('SIGKILL');
    for (const name of await readdir(this.#options.folder)) {
      if (!name.endsWith('.pid')) continue;
      const file = path.join(this.#options.folder, name);
      const id = Number(await readFile(file, 'utf8'));
      // A later shell in this folder must not kill another process with the same id.
      await rm(file);
      try {
        process.kill(id, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }

  #untilOver(): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#bash.stdout?.off('data', look);
        this.#bash.off('close', fail);
      };
      const look = () => {
        if (!this.#output.includes(marker)) return;
        end();
        resolve();
      };
      const fail = () => {
        end();
        reject(new Error(`The commands failed: ${this.#output}`));
      };
      this.#bash.stdout?.on('data', look);
      this.#bash.once('close', fail);
    });
  }
}

/** Returns the shell blocks of a page by the heading that they are below. */
function sectionsOf(text: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let heading = '';
  for (const [, name, block] of text.matchAll(/^##? (.+)$|^```bash\n([^]*?)^```$/gm)) {
    if (name !== undefined) heading = name;
    if (block !== undefined) sections.set(heading, [...(sections.get(heading) ?? []), block]);
  }
  return sections;
}
