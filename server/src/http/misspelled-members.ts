import type { TSchema } from 'typebox';
import { findIntendedName } from '../core/text/intended-name.ts';

/** Whoever sends more unknown members than this made no typing error; comparing a megabyte of them would take seconds. */
const comparisonsMax = 100;

/** What one look at a value has found: the paths, in segments, of known members that it has under a wrong name. */
interface Findings {
  readonly paths: (readonly string[])[];
  comparisonsLeft: number;
}

type Finder = (value: unknown, path: readonly string[], findings: Findings) => void;

interface SchemaParts {
  readonly anyOf?: readonly SchemaParts[];
  readonly properties?: Readonly<Record<string, SchemaParts>>;
  readonly items?: SchemaParts;
  readonly additionalProperties?: unknown;
}

/**
 * Looks for members that are almost called like one that the schema knows. Members that are like none are ignored: clients
 * send more than we know. What was written is not repeated: a name can be a value that was pasted in the wrong place.
 */
export function compileMisspellings(schema: TSchema): (value: unknown) => (readonly string[])[] {
  const find = compile(schema);
  return (value) => {
    const findings: Findings = { paths: [], comparisonsLeft: comparisonsMax };
    find?.(value, [], findings);
    return findings.paths;
  };
}

/** Undefined for a schema that has no names of its own. */
function compile(schema: SchemaParts): Finder | undefined {
  if (schema.anyOf !== undefined) return compileUnion(schema.anyOf);
  if (schema.items !== undefined) return compileItems(schema.items);
  return schema.properties === undefined ? undefined : compileObject(schema, schema.properties);
}

/** Of a schema and null, that is. With several alternatives nobody can say which one was meant. */
function compileUnion(alternatives: readonly SchemaParts[]): Finder | undefined {
  const [only, ...others] = alternatives.map(compile).filter((finder) => finder !== undefined);
  return others.length > 0 ? undefined : only;
}

function compileItems(items: SchemaParts): Finder | undefined {
  const find = compile(items);
  if (find === undefined) return undefined;
  return (value, path, findings) => {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) find(item, [...path, String(index)], findings);
  };
}

function compileObject(
  { additionalProperties }: SchemaParts,
  properties: NonNullable<SchemaParts['properties']>,
): Finder {
  const names = Object.keys(properties);
  const finders = new Map(names.map((name) => [name, compile(properties[name] ?? {})]));
  const isClosed = additionalProperties === false;
  return (value, path, findings) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const find = finders.get(name);
      if (find !== undefined) find(member, [...path, name], findings);
      if (isClosed || finders.has(name) || findings.comparisonsLeft === 0) continue;
      findings.comparisonsLeft -= 1;
      const intended = findIntendedName(name, names);
      if (intended !== undefined) findings.paths.push([...path, intended]);
    }
  };
}
