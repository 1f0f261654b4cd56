import { TestAuthority } from '../../server/test/harness/test-authority.ts';
import { TestResolver } from '../../server/test/harness/test-resolver.ts';
import { answerOk, TlsDestination } from '../../server/test/harness/tls-destination.ts';
import { hostileDestinations } from '../../server/test/harness/hostile-destinations.ts';

/*
 * Destinations in their own process, so that they affect the vault only through the traffic that reaches it. The path
 * `/<n>` is the n-th hostile destination. Every other path responds immediately.
 */
const host = 'api.provider.example';
const [authority, resolver] = await Promise.all([TestAuthority.create(), TestResolver.start()]);
resolver.set(host, ['127.0.0.1']);
const destination = await TlsDestination.start(await authority.issue([host]), (socket, { head }) => {
  (hostileDestinations[Number(head.split(' ')[1]?.slice(1) || Number.NaN)]?.behave ?? answerOk)(socket);
});
const line = {
  host,
  port: destination.port,
  resolver: resolver.address,
  authority: authority.certificate,
  hostileCount: hostileDestinations.length,
};
process.stdout.write(`${JSON.stringify(line)}\n`);
process.once('SIGTERM', () => {
  void Promise.all([destination.stop(), resolver.stop(), authority.remove()]);
});
