import type { TSchema } from 'typebox';
import { membersOf } from '../../core/objects/members-of.ts';
import { findIntendedName } from '../../core/text/intended-name.ts';

/**
 * The maximum number of unknown members to compare. Larger numbers are not caused by typos, and comparing a megabyte of
 * names would take seconds.
 */
const comparisonsMax = 100;

/** The result of one check. */
export interface NameFindings {
  /** The paths, in segments, of known members that were misspelled. */
  readonly paths: readonly (readonly string[])[];
  /** The number of members that resemble no known one, and are ignored. */
  readonly unknownCount: number;
}

interface Findings {
  readonly paths: (readonly string[])[];
  unknownCount: number;
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
 * Finds members whose names closely resemble a known one. Members that resemble none are ignored, because clients send
 * members that the vault does not know. The misspelled name is not repeated, because it could be a value pasted in the
 * wrong place.
 */
export function compileMisspellings(schema: TSchema): (value: unknown) => NameFindings {
  const find = compile(schema);
  return (value) => {
    const findings: Findings = { paths: [], unknownCount: 0, comparisonsLeft: comparisonsMax };
    find?.(value, [], findings);
    return findings;
  };
}

/** Returns undefined for a schema without named members. */
function compile(schema: SchemaParts): Finder | undefined {
  if (schema.anyOf !== undefined) return compileUnion(schema.anyOf);
  if (schema.items !== undefined) return compileItems(schema.items);
  return schema.properties === undefined ? undefined : compileObject(schema, schema.properties);
}

/** Compiles a union of one schema and null. With several alternatives, it is unclear which one was meant. */
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
  const findUnknown: Finder = (members, path, findings) => {
    // The names are listed without their values, and are compared only up to the limit. Reading the values of 90,000
    // members as well took 100 ms (measured).
    const given = Object.keys(membersOf(members));
    findings.unknownCount += given.length;
    for (const name of given) {
      if (findings.comparisonsLeft === 0) return;
      if (finders.has(name)) continue;
      findings.comparisonsLeft -= 1;
      const intended = findIntendedName(name, names);
      if (intended !== undefined) findings.paths.push([...path, intended]);
    }
  };
  return (value, path, findings) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const members = membersOf(value);
    const known = names.filter((name) => Object.hasOwn(members, name));
    if (!isClosed) {
      findUnknown(members, path, findings);
      findings.unknownCount -= known.length;
    }
    for (const name of known) finders.get(name)?.(members[name], [...path, name], findings);
  };
}
