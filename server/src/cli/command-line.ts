import { Command } from 'commander';
import { ConfigError } from '../platform/config/setting.ts';
import { auditCommand } from './audit.ts';
import { backupCommand } from './backup.ts';
import { bootstrapCommand } from './bootstrap.ts';
import { devCommand } from './dev.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { keysCommand } from './keys.ts';
import { importCommand } from './import.ts';
import { membersCommand } from './members.ts';
import { migrateCommand } from './migrate.ts';
import { printError } from './output.ts';
import { serveCommand } from './serve.ts';
import { workCommand } from './work.ts';

const teaching = `
First minute:
  strongroom dev                      a vault with a database and keys of its own

In production, in this order:
  strongroom migrate                  create or update the schema
  strongroom doctor                   check settings, database, roles and keys
  strongroom bootstrap --name Acme    make a tenant and its first management key
  strongroom serve                    answer requests (run as many as you like)
  strongroom work                     do background jobs (run at least one)

Afterwards:
  strongroom members invite           let somebody in, with or without a mail server
  strongroom keys rotate data --all   give every tenant a new data key; then reencrypt, then retire
  strongroom audit verify             prove that nobody touched the audit log
  strongroom audit exposure           say what a key has seen, with proofs
  strongroom import                   bring tokens in from a file
  strongroom export                   take tokens out, approved by people and encrypted to a recipient
  strongroom backup verify            prove that a backup can be restored and read

Settings come from the environment; \`strongroom serve\` lists whatever is missing.`;

export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const program = new Command('strongroom')
    .description('Self-hosted tokenization for cards, bank accounts and personal data.')
    .addHelpText('after', teaching)
    .showHelpAfterError('(strongroom --help shows what there is)');
  for (const command of [
    devCommand(),
    serveCommand(),
    workCommand(),
    migrateCommand(),
    bootstrapCommand(),
    doctorCommand(),
    membersCommand(),
    keysCommand(),
    auditCommand(),
    importCommand(),
    exportCommand(),
    backupCommand(),
  ]) {
    program.addCommand(command);
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    printError(error, argv.includes('--json'));
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  }
}
