import { Agent, type AgentOptions } from 'node:https';
import { connect } from 'node:tls';
import { KeyServiceEndpoint, type EndpointAnswer } from './key-service-endpoint.ts';
import { TestAuthority } from '../test-authority.ts';
import type { SeenRequest } from '../tls-destination.ts';

/** An endpoint on this machine under the names of a cloud, with an agent that takes every connection to it. */
export interface CloudEndpoint {
  readonly service: KeyServiceEndpoint;
  readonly agent: Agent;
  stop(): Promise<void>;
}

/** Starts an endpoint that proves these names by a certificate of an authority that only the agent trusts. */
export async function startCloudEndpoint(
  names: readonly string[],
  answer: (request: SeenRequest) => EndpointAnswer,
): Promise<CloudEndpoint> {
  const authority = await TestAuthority.create();
  const service = await KeyServiceEndpoint.start(await authority.issue(names), answer);
  const agent = new RoutedAgent(service.destination.port, authority.certificate);
  return {
    service,
    agent,
    async stop() {
      agent.destroy();
      await service.stop();
      await authority.remove();
    },
  };
}

/** Connects to a port of this machine, whatever the address is. Certificates are verified as usual. */
class RoutedAgent extends Agent {
  readonly #port: number;
  readonly #authority: string;

  constructor(port: number, authority: string) {
    super({ keepAlive: true });
    this.#port = port;
    this.#authority = authority;
  }

  override createConnection(options: AgentOptions & { readonly servername?: string }) {
    const { servername } = options;
    return connect({ host: '127.0.0.1', port: this.#port, servername, ca: this.#authority });
  }
}
