// SIGUSR1 opens Node's inspector unless somebody listens to it, and through the inspector every key in memory can be read.
// The installed program is started with a flag that shuts it earlier still (see bin/); this covers every other way to start
// it. Before any import, because loading the rest takes a second. `--inspect` on the command line still works.
process.on('SIGUSR1', () => undefined);
const { runCommandLine } = await import('./cli/command-line.ts');

await runCommandLine(process.argv);
