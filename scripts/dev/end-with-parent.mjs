// This is loaded into a child before its own code. If the parent is killed, the child receives a stop signal.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel must not keep a finished child alive.
process.channel?.unref();
