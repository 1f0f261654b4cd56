import { type Agent as PlainAgent, globalAgent } from 'node:http';
import { Agent } from 'node:https';

/** The agent with which a software development kit connects. */
export type KitAgent = Agent;

/** Returns an agent for HTTPS with a limit on its connections, which kits lack. */
export function createKitAgent(connectionsMax: number): KitAgent {
  return new Agent({ keepAlive: true, maxSockets: connectionsMax });
}

/** Returns the agent for a URL. Only the metadata service of a cloud speaks HTTP. */
export function choosingAgent(agent: KitAgent): (url: URL) => PlainAgent {
  return ({ protocol }) => (protocol === 'https:' ? agent : globalAgent);
}
