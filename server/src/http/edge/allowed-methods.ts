import type { FastifyInstance, FastifyRequest } from 'fastify';
import { originStrategy, partOfElements } from '../origins/elements-origin.ts';

const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export type MethodFinder = (request: Pick<FastifyRequest, 'raw' | 'url'>) => string[];

interface KnownPath {
  readonly isOfElements: boolean;
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/**
 * Collects the methods of the routes added afterwards, by path. Every path also has OPTIONS, which lists the others.
 * The result depends only on the path, not on the key or on whether the resource exists.
 */
export function watchMethods(app: FastifyInstance): MethodFinder {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method, constraints }) => {
    const isOfElements = constraints?.[originStrategy.name] !== undefined;
    const name = `${isOfElements} ${url}`;
    const known = paths.get(name) ?? { isOfElements, segments: segmentsOf(url), methods: new Set(['OPTIONS']) };
    for (const one of [method].flat()) known.methods.add(one);
    paths.set(name, known);
  });
  return ({ raw, url }) => {
    const asked = segmentsOf(url.split('?')[0] ?? '');
    const isOfElements = partOfElements(raw) === 'elements';
    const matching = [...paths.values()].filter(
      (known) => known.isOfElements === isOfElements && isMatch(known.segments, asked),
    );
    const methods = new Set(matching.flatMap((known) => [...known.methods]));
    return order.filter((method) => methods.has(method));
  };
}

/** Splits a path. A trailing slash makes no difference. */
function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/');
}

/** Compares a path with a route, in which `:id` matches one segment and `*` matches all remaining ones. */
function isMatch(route: readonly string[], asked: readonly string[]): boolean {
  if (route.at(-1) === '*')
    return asked.length >= route.length && isMatch(route.slice(0, -1), asked.slice(0, route.length - 1));
  if (route.length !== asked.length) return false;
  return route.every((segment, index) => (segment.startsWith(':') ? asked[index] !== '' : segment === asked[index]));
}
