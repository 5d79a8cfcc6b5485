// The documentation of the configuration: the page in docs and the JSON Schema for editors.
import { z } from 'zod';
import { listKeys } from './key.ts';
import type { KeyEntry, Mark } from './key.ts';
import { configurationSchema, defaultConfigurationYaml } from './keys.ts';

const changes = {
  gate: 'judged again',
  build: 'reset (307)',
  other: 'from now on',
} satisfies Record<Mark, string>;

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

One YAML document per repository. It is read from \`.service/config.yml\` on the default branch and from \`POST /api/v1/config\`; the last write wins. A repository starts with

\`\`\`yaml
${defaultConfigurationYaml}\`\`\`

- Unknown keys are refused at every level, with the nearest known key. A refused document changes nothing. All its problems are reported at once, each with line and column.
- A key without a value (\`batch_size:\`) counts as left out. \`merge_rules\` may be left out completely. If it is there, \`merge_rules.labels.trigger\` is required.
- Aliases, tags, duplicate keys, control characters, several documents in one text, and more than 256 KiB are refused.
- **Now** says what this version does with a key. *yes*: it acts on it. *only …*: it acts on these values and refuses the others by name. *refused*: it knows the key and does not act on it yet, so every value is refused by name, except listed values that ask for what happens anyway.
- **A change** says what a new value does to builds that exist. *judged again*: they are kept, and their verdicts are decided again at the landing. *reset (307)*: they start over, because they were made with the old value. *from now on*: they stay valid.
- Regular expressions are RE2: at most 200 characters, and at most 1000 repetitions, all \`{n}\` multiplied.
`;

const conclusions = `## Conclusions of a check

\`acceptable_statuses\` takes \`success\`, \`pending\`, \`failure\`, \`cancelled\`, \`timed_out\`, \`skipped\`, \`neutral\`, \`action_required\`, \`stale\`, \`unknown\`, \`error\`, \`blocked\`, \`missing\`. Left out, \`success\`, \`skipped\` and \`neutral\` pass.

## Which checks are required

- For a pull request's own head: what the code host's branch protection requires while \`use_github_mergeability\` is true, otherwise \`required_checks\`. An empty list requires nothing. \`require_all_checks_pass\` adds every check that ran.
- For a build in parallel mode: the first that is not empty of \`override_required_checks\`, \`required_checks\`, and the host's list while \`use_github_mergeability\` is true; otherwise every check that ran. \`require_all_draft_checks_pass\` adds every check that ran.
- For a build in serial mode: the same without \`override_required_checks\`. \`require_all_checks_pass\` adds every check that ran. The build is the pull request's own head, brought up to date.
- "Adds" means that the named checks are still awaited. A build without any check is never green.
`;

function tableOf(entries: readonly KeyEntry[]): string {
  const rows = entries.map((entry) => {
    const cells = [
      `\`${entry.path.at(-1)}\``,
      entry.type,
      entry.default,
      entry.description,
      changes[entry.mark],
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
