/** Every machine of the stage has an address of its own, so the same ports serve on all of them. */
export const ports = {
  server: 8080,
  serverAdmin: 8081,
  workerAdmin: 8082,
  /** Where the vault believes its database to be, and where HAProxy is. */
  database: 5432,
  balancer: 5433,
  patroni: 8008,
  redis: 6379,
  mail: 2525,
  keys: 8200,
  destination: 9443,
  /** Where clients send their requests. */
  front: 8000,
  frontStatistics: 8001,
} as const;
