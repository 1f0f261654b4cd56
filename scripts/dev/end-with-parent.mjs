// Loaded into a child before its own code: if the parent is killed, the child stops as if it had been told to.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel must not keep a child alive that has finished.
process.channel?.unref();
