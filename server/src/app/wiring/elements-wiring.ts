import type { FastifyInstance } from 'fastify';
import { addElementsRoutes, readElementsFiles } from '../../features/elements/index.ts';
import type { CredentialDirectory } from '../../features/applications/index.ts';
import { PublicKeyFinder } from '../../features/client-keys/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ElementsOrigin } from '../../http/origins/elements-origin.ts';
import { ExtraPort } from '../../platform/ingress/extra-port.ts';

/** Adds the routes of the elements origin. Every connection to the returned port belongs to that origin. */
export function addElements(
  edge: FastifyInstance,
  parts: {
    readonly origin: ElementsOrigin;
    readonly folder: string;
    readonly directory: CredentialDirectory;
    readonly database: Database;
  },
): ExtraPort {
  addElementsRoutes(edge, {
    build: readElementsFiles(parts.folder),
    origins: parts.directory,
    clientKeys: new PublicKeyFinder(parts.database),
  });
  return new ExtraPort((connection) => {
    parts.origin.claim(connection);
    edge.server.emit('connection', connection);
  });
}
