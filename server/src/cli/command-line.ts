import { Command } from 'commander';
import { OperatorError } from '../core/errors/operator-error.ts';
import { processEnvironment } from '../platform/config/config.ts';
import { ConfigError } from '../platform/config/config-error.ts';
import { findConfigWarnings } from '../platform/config/config-warnings.ts';
import { applicationsCommand } from './applications.ts';
import { auditCommand } from './audit/audit.ts';
import { backupCommand } from './backup.ts';
import { bootstrapCommand } from './bootstrap.ts';
import { cellsCommand } from './cells.ts';
import { devCommand } from './dev/dev.ts';
import { doctorCommand } from './doctor.ts';
import { evidenceCommand } from './evidence/evidence.ts';
import { exportCommand } from './export.ts';
import { healthcheckCommand } from './healthcheck.ts';
import { jobsCommand } from './jobs.ts';
import { keysCommand } from './keys/keys.ts';
import { importCommand } from './import.ts';
import { membersCommand } from './members.ts';
import { migrateCommand } from './migrate.ts';
import { printError, printWarning } from './terminal/output.ts';
import { serveCommand } from './serve.ts';
import { tenantsCommand } from './tenants.ts';
import { tokensCommand } from './tokens/tokens.ts';
import { addVersion } from './version.ts';
import { webhooksCommand } from './webhooks/webhooks.ts';
import { workCommand } from './work.ts';

const teaching = `
To get started:
  strongroom dev                      start a vault with its own database and keys

In production, in this order:
  strongroom migrate                  create or update the schema
  strongroom doctor                   check settings, database, roles and keys
  strongroom bootstrap --name Acme    create a tenant and its first management key
  strongroom serve                    serve requests (run as many as you like)
  strongroom work                     run background jobs (run at least one)
  strongroom healthcheck              tell whether the server on this machine is ready

Afterwards:
  strongroom tenants list             list tenants; show one with its members
  strongroom tenants move             move a tenant to another cell; cells shows them and prints the router's maps
  strongroom applications key         issue a management key when it was lost
  strongroom members invite           invite someone, with or without a mail server
  strongroom keys rotate data --all   give every tenant a new data key; then reencrypt, then retire
  strongroom audit verify             prove that the audit log has not been tampered with
  strongroom audit exposure           report what a key has seen, with proofs
  strongroom evidence                 write what an assessor asks, signed; check and compare bundles
  strongroom jobs list                list background jobs; retry those that failed
  strongroom webhooks list            list webhooks; show and resend deliveries, forward events to this machine
  strongroom tokens erase             erase tokens that belong together, with a signed receipt
  strongroom import                   import tokens from a file
  strongroom export                   export tokens, approved by members and encrypted to a recipient
  strongroom backup verify            prove that a backup can be restored and read

Settings are read from the environment; \`strongroom serve\` lists any that are missing.`;

export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const isJson = argv.includes('--json');
  try {
    await createProgram(isJson).parseAsync([...argv]);
  } catch (error) {
    printError(error, isJson);
    process.exitCode = error instanceof ConfigError || (error instanceof OperatorError && error.isFinal) ? 2 : 1;
  }
}

/** Creates the program with all commands. */
export function createProgram(isJson: boolean): Command {
  const program = new Command('strongroom')
    .description('Self-hosted tokenization for cards, bank accounts and personal data.')
    .addHelpText('after', teaching)
    .showHelpAfterError('(strongroom --help shows what there is)')
    .hook('preAction', () => {
      for (const warning of findConfigWarnings(processEnvironment())) printWarning(warning, isJson);
    });
  for (const command of [
    devCommand(),
    serveCommand(),
    workCommand(),
    migrateCommand(),
    bootstrapCommand(),
    doctorCommand(),
    healthcheckCommand(),
    tenantsCommand(),
    cellsCommand(),
    applicationsCommand(),
    membersCommand(),
    keysCommand(),
    auditCommand(),
    evidenceCommand(),
    jobsCommand(),
    webhooksCommand(),
    tokensCommand(),
    importCommand(),
    exportCommand(),
    backupCommand(),
  ]) {
    program.addCommand(command);
  }
  addVersion(program);
  return program;
}
