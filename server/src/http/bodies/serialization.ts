import buildSerializer from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';

type Serializer = (value: unknown) => string;

/** Many routes share a response schema, and a process can have several servers. Each schema is compiled only once. */
const serializers = new WeakMap<object, Serializer>();

/** Adds serializers for response schemas. The schemas must not be changed afterwards. */
export function addSerialization(app: FastifyInstance): void {
  app.setSerializerCompiler<object>(({ schema }) => {
    const known = serializers.get(schema);
    if (known !== undefined) return known;
    const serializer = buildSerializer(schema) as Serializer;
    serializers.set(schema, serializer);
    return serializer;
  });
}
