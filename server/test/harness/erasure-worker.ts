import { createErasureJobs } from '../../src/app/wiring/erasure-wiring.ts';
import { openSealerDatabase, VaultCore } from '../../src/app/wiring/vault-core.ts';
import { processEnvironment, readVaultConfig } from '../../src/platform/config/config.ts';

/**
 * A worker that does nothing but run erasures, again and again. It writes a line when it is ready. Tests kill it.
 */
const config = readVaultConfig(processEnvironment());
const core = await VaultCore.open(config);
const sealerDatabase = openSealerDatabase(config.database);
const [erase] = createErasureJobs(core, { sealerDatabase, backupDays: 35 });
process.stdout.write('ready\n');
for (;;) {
  await erase?.run(undefined);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
