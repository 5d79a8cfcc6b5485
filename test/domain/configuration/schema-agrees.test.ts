// The JSON Schema for editors and the parser refuse the same documents. The exceptions are listed.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fc } from '../../support/properties.ts';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { configurationJsonSchema, parseConfiguration, problemText } from '../../../src/domain/configuration/index.ts';
import { documentWith } from './support.ts';
import { keyTable } from './keys.table.ts';
import { documents } from './mutations.ts';

const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(configurationJsonSchema());

/** Refusals of the parser that a JSON Schema cannot express, or not about one key alone. */
const unsaid: readonly RegExp[] = [
  /is not supported yet/,
  // Rules between keys and between entries.
  /must differ from|must be labels that differ|must be unique|^.*: needs |must be below|must be 1 with|when there are several|is not a key of the method|preview -> \d+ -> (image|port): is required/,
  // Expressions, calendars, lists of globs and time zones have parsers of their own.
  /RE2|regular expression|must not repeat|the pattern has|cron|time zone|must be a base branch|@user|must not begin or end|must be one line|must be a path|without slashes|context/i,
];

const isUnsaid = (text: string) => unsaid.some((rule) => rule.test(text));

function disagreement(text: string): string | null {
  const value: unknown = parse(text, { logLevel: 'silent' });
  const parsed = parseConfiguration(text);
  const isTaken = validate(value);
  if (parsed.ok === isTaken) return null;
  if (parsed.ok) return holdsNull(value) ? null : `only the schema refuses: ${JSON.stringify(validate.errors)}`;
  const said = parsed.problems.map(problemText).filter((problem) => !isUnsaid(problem));
  return said.length === 0 ? null : `only the parser refuses: ${said.join('; ')}`;
}

/** A key without a value counts as left out. For a JSON Schema it has the value null. */
function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  return Object.values(value).some(holdsNull);
}

it('the parser and the JSON Schema agree about documents with one key', () => {
  const faults = keyTable.flatMap(({ key, accepts, refuses }) =>
    [...accepts, ...refuses.map(([value]) => value)].flatMap((value) => {
      const fault = disagreement(documentWith(key, value));
      return fault === null ? [] : [`${key} = ${JSON.stringify(value)?.slice(0, 60)}: ${fault}`];
    }),
  );
  expect(faults).toEqual([]);
});

it('the parser and the JSON Schema agree about documents with many keys', () => {
  fc.assert(
    fc.property(documents, (text) => {
      expect(disagreement(text)).toBeNull();
    }),
    { numRuns: 500 },
  );
});
