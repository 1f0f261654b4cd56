/** Ports of the stage. Every machine has its own address, so all of them use the same ports. */
export const ports = {
  server: 8080,
  serverAdmin: 8081,
  workerAdmin: 8082,
  /** The port that the vault uses for its database. HAProxy itself listens on `balancer`. */
  database: 5432,
  balancer: 5433,
  patroni: 8008,
  redis: 6379,
  mail: 2525,
  keys: 8200,
  destination: 9443,
  /** The port of the receiver of webhooks and of the log stream. */
  events: 9444,
  /** The port that clients send their requests to. */
  front: 8000,
  frontStatistics: 8001,
} as const;
