// Functions that define configuration keys. A key is a zod schema with notes in a registry. The parser, the
// documentation, the JSON Schema and the digest of build keys all read these notes.
import { z } from 'zod';
import { regexFault } from './regex.ts';

/**
 * The effect of a changed key on existing builds. gate: verdicts are judged again, and nothing is rebuilt. build:
 * builds were made with the old value and are worthless (reset 307). other: the key affects only later decisions, and
 * builds stay valid.
 */
export type EffectOnBuilds = 'gate' | 'build' | 'other';

export interface KeyNotes {
  /** The default in the documentation: a sentence, or the value as in YAML. */
  readonly default: string;
  readonly description: string;
  readonly effectOnBuilds: EffectOnBuilds;
  /** Whether this version acts on the key. */
  readonly supported: boolean;
  /** The only values that this version accepts. Null: every valid value. */
  readonly accepts: readonly unknown[] | null;
}

const notesOfKeys = z.registry<KeyNotes>();
const typeNames = z.registry<{ readonly name: string }>();

interface KeyOptions<D> {
  readonly default: D;
  readonly description: string;
  readonly effectOnBuilds: EffectOnBuilds;
  readonly accepts?: readonly unknown[];
}

/** A key that this version acts on. If absent, it has its default. */
export function key<S extends z.ZodType>(schema: S, options: KeyOptions<z.input<S>>) {
  const withDefault = z.prefault(schema, options.default).describe(options.description);
  return withNotes(withDefault, schema, {
    default: defaultText(options.default),
    description: options.description,
    effectOnBuilds: options.effectOnBuilds,
    supported: true,
    accepts: options.accepts ?? null,
  });
}

/** A key that this version acts on. If absent, it is undefined, and `default` says what this means. */
export function optionalKey<S extends z.ZodType>(schema: S, options: KeyOptions<string>) {
  const optional = schema.optional().describe(options.description);
  return withNotes(optional, schema, { ...options, supported: true, accepts: options.accepts ?? null });
}

/** A key that must be present. */
export function requiredKey<S extends z.ZodType>(schema: S, options: Omit<KeyOptions<never>, 'default' | 'accepts'>) {
  const described = schema.describe(options.description);
  return withNotes(described, schema, { ...options, default: 'required', supported: true, accepts: null });
}

/**
 * A key that this version knows but does not act on. It is never ignored: every value is refused by name, except values
 * that describe what happens anyway. A later version that acts on the key only replaces `notYet` by `key`.
 */
export function notYet<S extends z.ZodType>(
  schema: S,
  options: KeyOptions<z.input<S> | undefined> & { readonly defaultText?: string; readonly accepts: readonly unknown[] },
) {
  const optional = schema.optional().describe(options.description);
  return withNotes(optional, schema, {
    default: options.defaultText ?? defaultText(options.default),
    description: options.description,
    effectOnBuilds: options.effectOnBuilds,
    supported: false,
    accepts: options.accepts,
  });
}

function withNotes<S extends z.ZodType>(schema: S, shape: z.ZodType, notes: KeyNotes): S {
  notesOfKeys.add(schema, notes);
  typeNames.add(schema, { name: typeNames.get(shape)?.name ?? 'mapping' });
  return schema;
}

function defaultText(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export interface KeyEntry extends KeyNotes {
  readonly path: readonly string[];
  readonly type: string;
}

/** The keys of a group and of the groups in it, in the order of the table. */
export function listKeys(schema: z.core.$ZodType, path: readonly string[] = []): KeyEntry[] {
  const notes = notesOfKeys.get(schema as z.ZodType);
  if (notes) return [{ path, type: typeNames.get(schema as z.ZodType)?.name ?? 'mapping', ...notes }];
  return Object.entries(childSchemas(schema)).flatMap(([name, child]) => listKeys(child, [...path, name]));
}

/** The keys that a mapping with this schema may have. Empty: no mapping is expected. */
export function childSchemas(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodObject) return bare.shape;
  if (bare instanceof z.ZodUnion) return Object.assign({}, ...bare.options.map(childSchemas));
  return {};
}

export function elementSchema(schema: z.core.$ZodType): z.core.$ZodType | null {
  const bare = unwrap(schema);
  return bare instanceof z.ZodArray ? bare.element : null;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let bare = schema;
  while (bare instanceof z.ZodPrefault || bare instanceof z.ZodDefault || bare instanceof z.ZodOptional)
    bare = bare.unwrap();
  return bare;
}

type Issue = { readonly input?: unknown };
const reason = (text: string) => (issue: Issue) => (issue.input === undefined ? 'is required' : text);

function named<S extends z.ZodType>(schema: S, name: string): S {
  typeNames.add(schema, { name });
  return schema;
}

/** A mapping that accepts only these keys. If absent, each key has its default. */
export function group<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, { error: 'must be a mapping of keys' });
}

const largestInteger = 1_000_000;

export function integer(min: number, max = largestInteger) {
  const bounded = max !== largestInteger;
  const text = bounded ? `must be an integer from ${min} to ${max}` : `must be an integer of at least ${min}`;
  const schema = z
    .int({ error: reason(text) })
    .min(min, { error: text })
    .max(max, { error: bounded ? text : `must be at most ${max}` });
  return named(schema, bounded ? `integer, ${min} to ${max}` : `integer ≥ ${min}`);
}

export function bool() {
  return named(z.boolean({ error: reason('must be true or false') }), 'true or false');
}

export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return named(z.enum(values, { error: reason(`must be one of ${values.join(', ')}`) }), values.join(', '));
}

/** One line of text. Numbers and booleans must be quoted. */
export function text(max = 1000) {
  const schema = z
    .string({
      error: (issue) => (isUnquoted(issue.input) ? 'must be text: put it in quotes' : reason('must be text')(issue)),
    })
    .max(max, { error: `must be at most ${max} characters long` })
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, { error: 'must be one line without control characters' });
  return named(schema, 'text');
}

export function someText(max?: number) {
  return named(text(max).min(1, { error: 'must not be empty' }), 'text');
}

/** Text of several lines. */
export function markdown() {
  const schema = z
    .string({ error: reason('must be text') })
    .max(20_000, { error: 'must be at most 20000 characters long' });
  return named(schema, 'Markdown');
}

/** The name of a label. Empty: no label. */
export function label() {
  return named(
    text(100).refine((name) => name === name.trim(), { error: 'must not begin or end with a space' }),
    'label',
  );
}

export function repositoryPath() {
  const schema = someText(500).regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))/, {
    error: 'must be a path inside the repository, without a leading / or ..',
  });
  return named(schema, 'path');
}

export function listOf<S extends z.ZodType>(item: S, options: { readonly name?: string; readonly max?: number } = {}) {
  const max = options.max ?? 1000;
  const schema = z
    .array(item, { error: reason('must be a list') })
    .max(max, { error: `must have at most ${max} entries` });
  return named(schema, options.name ?? `list: ${typeNames.get(item)?.name ?? 'mappings'}`);
}

export function regex() {
  const schema = someText().superRefine((pattern, context) => {
    const fault = regexFault(pattern);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });
  return named(schema, 'regular expression');
}

function isUnquoted(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}
