// Parses `.github/workflows/*.yml`. The parser refuses everything that GitHub refuses in a workflow file, and every
// feature that the emulator cannot run. If it ignored a feature, a green workflow would prove nothing.
import { parse, YAMLError } from 'yaml';
import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));
const environment = z.record(z.string(), scalar).default({});
const oneOrMore = z.union([z.string().transform((value) => [value]), z.array(z.string())]);

const filters = z
  .strictObject({
    branches: oneOrMore.optional(),
    'branches-ignore': oneOrMore.optional(),
    paths: oneOrMore.optional(),
    'paths-ignore': oneOrMore.optional(),
    tags: oneOrMore.optional(),
    'tags-ignore': oneOrMore.optional(),
    types: oneOrMore.optional(),
  })
  .refine((filter) => filter.branches === undefined || filter['branches-ignore'] === undefined, {
    message: 'you may only define one of `branches` and `branches-ignore` for a single event',
  })
  .refine((filter) => filter.paths === undefined || filter['paths-ignore'] === undefined, {
    message: 'you may only define one of `paths` and `paths-ignore` for a single event',
  });

const input = z.strictObject({
  description: z.string().optional(),
  required: z.boolean().default(false),
  default: scalar.optional(),
  type: z.enum(['string', 'boolean', 'choice', 'number', 'environment']).default('string'),
  options: z.array(scalar).optional(),
  deprecationMessage: z.string().optional(),
});

const maxInputs = 25;
const dispatch = z.strictObject({
  inputs: z
    .record(
      z.string(),
      input.nullable().transform((value) => value ?? input.parse({})),
    )
    .default({})
    .refine((inputs) => Object.keys(inputs).length <= maxInputs, {
      message: `you may only define up to ${maxInputs} \`inputs\` for a \`workflow_dispatch\` event`,
    }),
});

const step = z
  .strictObject({
    id: z.string().optional(),
    name: z.string().optional(),
    if: scalar.optional(),
    run: z.string().optional(),
    uses: z.string().optional(),
    with: z.record(z.string(), scalar).default({}),
    env: environment,
    shell: z.enum(['bash', 'sh']).optional(),
    'working-directory': z.string().optional(),
    'continue-on-error': z.boolean().default(false),
    'timeout-minutes': z.number().positive().optional(),
  })
  .refine((value) => (value.run === undefined) !== (value.uses === undefined), {
    message: 'every step must define exactly one of `uses` and `run`',
  });

const job = z.strictObject({
  name: z.string().optional(),
  needs: oneOrMore.default([]),
  if: scalar.optional(),
  'runs-on': z.union([z.string(), z.array(z.string())]),
  'timeout-minutes': z.number().positive().optional(),
  'continue-on-error': z.boolean().default(false),
  env: environment,
  permissions: z.unknown().optional(),
  outputs: z.record(z.string(), z.string()).default({}),
  steps: z.array(step).min(1),
});

const workflow = z.strictObject({
  name: z.string().optional(),
  'run-name': z.string().optional(),
  on: z.union([
    z.string().transform((event) => ({ [event]: null })),
    z.array(z.string()).transform((events) => Object.fromEntries(events.map((event) => [event, null]))),
    z.record(z.string(), z.unknown()),
  ]),
  env: environment,
  permissions: z.unknown().optional(),
  concurrency: z.unknown().optional(),
  jobs: z.record(z.string().regex(/^[A-Za-z_][\w-]*$/), job),
});

export type Filters = z.infer<typeof filters>;
export type DispatchInput = z.infer<typeof input>;
export type Step = z.infer<typeof step>;
export type Job = z.infer<typeof job> & { readonly key: string; readonly label: string };

export interface WorkflowFile {
  readonly path: string;
  readonly name: string;
  readonly runName: string | null;
  /** The filters of the event. Null: the event does not start the workflow. */
  readonly push: Filters | null;
  readonly pullRequest: Filters | null;
  readonly dispatch: Readonly<Record<string, DispatchInput>> | null;
  readonly env: Readonly<Record<string, string>>;
  /** The jobs in the order of the file. Every `needs` has keys of other jobs of the file, and no job needs itself. */
  readonly jobs: readonly Job[];
}

export class InvalidWorkflow extends Error {}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
    if (deepest !== undefined) return describeIssue({ ...deepest, path: [...issue.path, ...deepest.path] });
  }
  const place = issue.path.length === 0 ? 'the file' : issue.path.join('.');
  return `${place}: ${issue.message}`;
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string, at = ''): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const sentence = issue === undefined ? 'cannot be read' : describeIssue(issue);
  throw new InvalidWorkflow(`Invalid workflow file: ${path}. ${at}${sentence}`);
}

function parseYaml(path: string, source: string): unknown {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof YAMLError)) throw error;
    throw new InvalidWorkflow(
      `Invalid workflow file: ${path}. You have an error in your yaml syntax: ${error.message}`,
    );
  }
}

function checkNeeds(jobs: readonly Job[], path: string): void {
  const done = new Set<string>();
  for (const job of jobs) {
    const unknown = job.needs.find((need) => !jobs.some((other) => other.key === need));
    if (unknown !== undefined) {
      throw new InvalidWorkflow(
        `Invalid workflow file: ${path}. Job '${job.key}' depends on unknown job '${unknown}'.`,
      );
    }
  }
  for (let more = true; more; ) {
    const ready = jobs.filter((job) => !done.has(job.key) && job.needs.every((need) => done.has(need)));
    for (const job of ready) done.add(job.key);
    more = ready.length > 0;
  }
  const stuck = jobs.find((job) => !done.has(job.key));
  if (stuck !== undefined) {
    throw new InvalidWorkflow(`Invalid workflow file: ${path}. Job '${stuck.key}' depends on itself.`);
  }
}

export function parseWorkflow(path: string, source: string): WorkflowFile {
  const file = read(workflow, parseYaml(path, source), path);
  const jobs = Object.entries(file.jobs).map(([key, value]) => ({ ...value, key, label: value.name ?? key }));
  checkNeeds(jobs, path);
  const event = <Schema extends z.ZodType>(name: string, schema: Schema) =>
    name in file.on ? read(schema, (file.on as Record<string, unknown>)[name] ?? {}, path, `on.${name}.`) : null;
  return {
    path,
    name: file.name ?? path,
    runName: file['run-name'] ?? null,
    push: event('push', filters),
    pullRequest: event('pull_request', filters),
    dispatch: event('workflow_dispatch', dispatch)?.inputs ?? null,
    env: file.env,
    jobs,
  };
}
