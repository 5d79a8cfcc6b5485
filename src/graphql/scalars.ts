// Scalars with special formats, and their error texts. Every text begins with `must`, because REST puts the name of the
// field before it, and GraphQL the name of the variable.
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';
import { isTimeZone } from '../domain/analytics/days.ts';

interface ScalarRule<Internal> {
  readonly name: string;
  readonly description: string;
  /** The error text. It may be a function of the wrong value. */
  readonly must: string | ((value: unknown) => string);
  /** Undefined: the value is not valid for this scalar. */
  readonly read: (value: unknown) => Internal | undefined;
  readonly serialize?: (value: unknown) => unknown;
  readonly specifiedByURL?: string;
}

function scalar<Internal>(rule: ScalarRule<Internal>): GraphQLScalarType<Internal, unknown> {
  const parse = (value: unknown): Internal => {
    const read = rule.read(value);
    if (read !== undefined) return read;
    const must = typeof rule.must === 'string' ? rule.must : rule.must(value);
    throw new GraphQLError(must, { extensions: { code: 'BAD_INPUT' } });
  };
  return new GraphQLScalarType<Internal, unknown>({
    name: rule.name,
    description: rule.description,
    specifiedByURL: rule.specifiedByURL ?? null,
    parseValue: parse,
    parseLiteral: (node) => parse(literalValue(node)),
    serialize: rule.serialize ?? ((value) => value),
  });
}

function literalValue(node: ValueNode): unknown {
  if (node.kind === Kind.STRING) return node.value;
  if (node.kind === Kind.OBJECT)
    return Object.fromEntries(node.fields.map((field) => [field.name.value, literalValue(field.value)]));
  return node.kind === Kind.INT ? Number(node.value) : undefined;
}

function textMatching(pattern: RegExp): (value: unknown) => string | undefined {
  return (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined);
}

const firstInstant = new Date('0001-01-01T00:00:00Z');
const lastInstant = new Date('9999-12-31T23:59:59.999Z');
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

export const DateTime = scalar<Date>({
  name: 'DateTime',
  description: 'An instant in RFC 3339. Answers are in UTC with `Z` and milliseconds.',
  must: 'must be an RFC 3339 date and time, such as 2026-01-31T12:00:00Z',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  read: (value) => {
    if (typeof value !== 'string' || !instant.test(value)) return undefined;
    const date = new Date(value);
    // Instants before the year 1 or after the year 9999 in UTC are refused, because RFC 3339 cannot express them.
    const isWritable = date >= firstInstant && date <= lastInstant;
    return isWritable && isDay(value.slice(0, 10)) ? date : undefined;
  },
  serialize: (value) => (value instanceof Date ? value : new Date(String(value))).toISOString(),
});

export const GitObjectID = scalar<string>({
  name: 'GitObjectID',
  description: 'The full id of a Git object, in lower case.',
  must: 'must be a full Git object id of 40 hexadecimal digits',
  read: (value) => (typeof value === 'string' && /^[0-9a-f]{40}$/i.test(value) ? value.toLowerCase() : undefined),
});

export const URI = scalar<string>({
  name: 'URI',
  description: 'An absolute http or https address.',
  must: 'must be an absolute http or https URL',
  read: (value) =>
    typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? value : undefined,
});

export const NameWithOwner = scalar<string>({
  name: 'NameWithOwner',
  description: 'A repository as `<owner>/<name>`.',
  must: 'must be a repository as <org>/<name>',
  read: textMatching(/^[^/\s]+\/[^/\s]+$/),
});

export const Glob = scalar<string>({
  name: 'Glob',
  description:
    'A pattern of base branches: `*` matches any characters, `/` included. All other characters match themselves.',
  must: 'must be a branch name or a glob of 1 to 255 characters without white space',
  read: textMatching(/^[^\u0000-\u0020\u007f]{1,255}$/u),
});

const longestTarget = 1024;

export const AffectedTarget = scalar<string>({
  name: 'AffectedTarget',
  description:
    'The name of a part of the code base, as a build tool or the repository defines it: 1 to 1,024 characters.',
  must: (value) =>
    typeof value === 'string' && value.length > longestTarget
      ? `must be text of 1 to ${longestTarget} characters: shorten the name of the target`
      : `must be text of 1 to ${longestTarget} characters`,
  read: (value) => (typeof value === 'string' && value.length > 0 && value.length <= longestTarget ? value : undefined),
});

/** A day as `YYYY-MM-DD`. It stays a text, because the code that uses it knows the time zone. */
export const Day = scalar<string>({
  name: 'Date',
  description: 'A day, as `YYYY-MM-DD`.',
  must: 'must be a day as YYYY-MM-DD',
  read: (value) =>
    typeof value === 'string' && /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value) ? value : undefined,
});

export const TimeZone = scalar<string>({
  name: 'TimeZone',
  description: 'A time zone by its name in the IANA database.',
  must: 'must be the name of a time zone, such as Europe/Berlin',
  read: (value) => (typeof value === 'string' && isTimeZone(value) ? value : undefined),
});

// Reads a positive whole number. A number that is too great for its column is read as the greatest value of the column,
// because no row has this number either.
function wholeNumber(greatest: number): (value: unknown) => number | undefined {
  return (value) => {
    const number = typeof value === 'string' && /^[1-9]\d*$/.test(value) ? Number(value) : value;
    const isOne = typeof number === 'number' && number >= 1 && (Number.isInteger(number) || number === Infinity);
    return isOne ? Math.min(number, greatest) : undefined;
  };
}

export const PullRequestNumber = scalar<number>({
  name: 'PullRequestNumber',
  description: 'The number of a pull request, given as `12` or `"12"`.',
  must: 'must be a pull request number',
  read: wholeNumber(2 ** 31 - 1),
});

/**
 * Any text is accepted here, because services check the form in the documented order, with the error `Invalid release
 * candidate version`.
 */
export const ReleaseCandidateVersion = scalar<string>({
  name: 'ReleaseCandidateVersion',
  description:
    'The version of a release candidate: `<release version>-rc<number>`, without a slash or white space, at most 200 characters.',
  must: 'must be a string',
  read: (value) => (typeof value === 'string' ? value : undefined),
});

export const PageNumber = scalar<number>({
  name: 'PageNumber',
  description: 'The number of a page, counted from 1. A page after the last one is empty.',
  must: 'must be an integer of at least 1',
  // With this limit, the product with the size of a page is still exact.
  read: wholeNumber(2 ** 46),
});

export const PageSize = scalar<number>({
  name: 'PageSize',
  description: 'The size of a page: 1 to 100 entries.',
  must: 'must be an integer between 1 and 100',
  read: (value) => {
    const number = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value;
    return Number.isInteger(number) && Number(number) >= 1 && Number(number) <= 100 ? Number(number) : undefined;
  },
});

/** Services check the names and values, because an error message of a scalar could contain a secret. */
export const SecretMap = scalar<Readonly<Record<string, string>>>({
  name: 'SecretMap',
  description: 'Secrets by their names, as an object of texts. It is only accepted as input, and never returned.',
  must: 'must be an object whose values are texts',
  read: (value) =>
    isObject(value) && Object.values(value).every((each) => typeof each === 'string')
      ? (value as Readonly<Record<string, string>>)
      : undefined,
});

/** Any JSON value. */
export const JSONValue = GraphQLJSON;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
