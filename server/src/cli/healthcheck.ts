import { Argument, Command } from 'commander';
import { processEnvironment, readAdminAddress } from '../platform/config/config.ts';
import { printJson, printText } from './terminal/output.ts';

const roles = ['serve', 'work'] as const;

export function healthcheckCommand(): Command {
  return new Command('healthcheck')
    .description(
      'Ask the server or worker on this machine whether it is ready, for example as the health check of a container.',
    )
    .addArgument(new Argument('[role]', 'which one to ask').choices(roles).default('serve'))
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Asks /readyz on STRONGROOM_ADMIN_HOST and STRONGROOM_ADMIN_PORT (for work: STRONGROOM_WORKER_ADMIN_PORT), for 3 seconds at
most. Exits with status 1 if it is not ready. Needs no other settings.`,
    )
    .action(async (role: (typeof roles)[number], options: { json?: boolean }) => {
      const address = readAdminAddress(processEnvironment(), role);
      const { askReadiness } = await import('../app/operations/ask-readiness.ts');
      const { isReady, detail } = await askReadiness(address);
      if (options.json === true) printJson({ ready: isReady, detail });
      else printText(isReady ? 'Ready.' : `Not ready: ${detail}`);
      if (!isReady) process.exitCode = 1;
    });
}
