// The documentation of the configuration: the page in docs and the JSON Schema for editors.
import { z } from 'zod';
import { listKeys } from './key.ts';
import type { KeyEntry, EffectOnBuilds } from './key.ts';
import { configurationSchema, defaultConfigurationYaml } from './keys.ts';

const changes = {
  gate: 'judged again',
  build: 'reset (307)',
  other: 'from now on',
} satisfies Record<EffectOnBuilds, string>;

/** The content of docs/configuration.md. A test compares the two. */
export function configurationMarkdown(): string {
  const keys = listKeys(configurationSchema);
  const groups = new Map<string, KeyEntry[]>();
  for (const entry of keys) {
    const group = entry.path.slice(0, -1).join('.');
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  const tables = [...groups].map(
    ([group, entries]) => `## ${group === '' ? 'The document' : `\`${group}\``}\n\n${tableOf(entries)}`,
  );
  return `${introduction}\n${tables.join('\n\n')}\n\n${conclusions}`;
}

const introduction = `# The repository configuration

Each repository has one configuration, a YAML document. You write it as \`.service/config.yml\` on the default branch, or by \`POST /api/v1/config\`; the last write counts. A new repository has this configuration:

\`\`\`yaml
${defaultConfigurationYaml}\`\`\`

- Unknown keys are refused at every level, with the nearest known key. A refused document changes nothing. All its problems are reported at once, each with line and column.
- A key without a value (\`batch_size:\`) counts as left out. You may leave \`merge_rules\` out completely. If you write it, \`merge_rules.labels.trigger\` is required.
- Aliases, tags, duplicate keys, control characters, several documents in one text, and more than 256 KiB are refused.
- The column **now** says whether this version supports the key. *yes*: all values. *only …*: these values; others are refused by name. *refused*: the key has no effect yet, so every value is refused by name, except the listed values, which describe what happens anyway.
- The column **a change** says what a new value does to existing builds. *judged again*: the builds are kept, and their verdicts are derived again with the new value. *reset (307)*: the builds start again, because they were made with the old value. *from now on*: the builds stay valid.
- A number in parentheses, such as *(107)*, is the status code that a pull request gets ([interface](interface.md#31-pull-request)). *Interlock's own* marks a key that the general interface does not have.
- Regular expressions are RE2. They have at most 200 characters, and the product of all repetition counts (\`{n}\`) is at most 1000.
`;

const conclusions = `## Conclusions of a check

\`acceptable_statuses\` takes \`success\`, \`pending\`, \`failure\`, \`cancelled\`, \`timed_out\`, \`skipped\`, \`neutral\`, \`action_required\`, \`stale\`, \`unknown\`, \`error\`, \`blocked\`, \`missing\`. If \`acceptable_statuses\` is left out, \`success\`, \`skipped\` and \`neutral\` pass.

A build is red if a required check failed. If nothing is wrong with the build except that a required check was canceled, the build is repeated once. If it is canceled again, it is red. A canceled check that is not required, or whose \`acceptable_statuses\` have \`cancelled\`, does not matter.

## Which checks are required

- For a pull request's own head: the checks that the code host's branch protection requires if \`use_github_mergeability\` is true, otherwise \`required_checks\`. An empty list requires nothing. \`require_all_checks_pass\` adds every check that ran.
- For a build in parallel mode: the first of these lists that is not empty: \`override_required_checks\`, \`required_checks\`, the host's list if \`use_github_mergeability\` is true. If all are empty: every check that ran. \`require_all_draft_checks_pass\` adds every check that ran. Checks without which the code host takes no commit are added in any case ([rules of GitHub](github.md#rules-of-the-base-branch)).
- For a build in serial mode: the same without \`override_required_checks\`. \`require_all_checks_pass\` adds every check that ran. The build is the pull request's own head, brought up to date.
- "Adds" means that the checks of the list remain required. A build without any check is never green, also if every required check may be missing.
`;

function tableOf(entries: readonly KeyEntry[]): string {
  const rows = entries.map((entry) => {
    const cells = [
      `\`${entry.path.at(-1)}\``,
      entry.type,
      entry.default,
      entry.description,
      changes[entry.effectOnBuilds],
      supportText(entry),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| key | type | default | what it does | a change | now |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

function supportText(entry: KeyEntry): string {
  if (entry.accepts === null) return 'yes';
  const values = entry.accepts
    .map((value) => `\`${Array.isArray(value) ? '[]' : value === '' ? "''" : String(value)}\``)
    .join(', ');
  if (entry.supported) return `only ${values}`;
  return values === '' ? 'refused' : `refused, except ${values}`;
}

/**
 * JSON Schema 2020-12 of the written document. It is stricter than the parser in one thing: every key needs a value.
 */
export function configurationJsonSchema(): z.core.JSONSchema.BaseSchema {
  const schema = z.toJSONSchema(configurationSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (JSON.stringify(jsonSchema.default) === '{}') delete jsonSchema.default;
    },
  });
  for (const entry of listKeys(configurationSchema)) {
    const described = propertyAt(schema, entry.path);
    if (described && entry.accepts !== null)
      described.description = `${entry.description} In this version: ${supportText(entry).replaceAll('`', '')}.`;
  }
  return { ...schema, title: 'Interlock repository configuration' };
}

function propertyAt(
  schema: z.core.JSONSchema.BaseSchema,
  path: readonly string[],
): z.core.JSONSchema.BaseSchema | undefined {
  return path.reduce<z.core.JSONSchema.BaseSchema | undefined>((outer, name) => {
    const inner = outer?.properties?.[name];
    return typeof inner === 'object' ? inner : undefined;
  }, schema);
}
