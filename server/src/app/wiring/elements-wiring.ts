import type { FastifyInstance } from 'fastify';
import { addElementsRoutes, readElementsFiles } from '../../features/elements/index.ts';
import type { CredentialDirectory } from '../../features/applications/index.ts';
import type { ElementsOrigin } from '../../http/origins/elements-origin.ts';
import { ExtraPort } from '../../platform/ingress/extra-port.ts';

/** Adds what the elements origin serves. The port that is returned belongs to it alone, once it listens. */
export function addElements(
  edge: FastifyInstance,
  parts: { readonly origin: ElementsOrigin; readonly folder: string; readonly directory: CredentialDirectory },
): ExtraPort {
  addElementsRoutes(edge, { build: readElementsFiles(parts.folder), origins: parts.directory });
  return new ExtraPort((connection) => {
    parts.origin.claim(connection);
    edge.server.emit('connection', connection);
  });
}
