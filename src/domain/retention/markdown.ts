// docs/retention.md, made from the catalogue.
import { retained, retainedKinds } from './catalogue.ts';

export function retentionMarkdown(): string {
  return `# Retention

How long Interlock keeps what, and how a repository or an account leaves it. Each setting is a variable of the environment of servers and workers, which all get the same value: a whole number of days, or \`forever\`.

## What is deleted by age

| what | kind | setting | days | the rule |
|---|---|---|---|---|
${retainedKinds.map(rowOf).join('\n')}

Servers and workers look for what is old when they start, and every hour. One process at a time deletes each kind, 2,000 rows to a transaction, found by an index: nothing waits long for a lock, and a process that is killed leaves nothing half done. \`interlock_retention_deleted_total\` counts what went, by kind. A kind that no process could look through to its end for a day is reported at \`/readyz\` under \`overdue\` as \`retention\`, and the log says why.

What takes room, and how old the oldest of each kind is:

\`\`\`sh
npm run doctor -- --growth
npm run -s doctor -- --growth --json
\`\`\`

The report names the largest tables, the folders of the data directory, and each kind with its setting. It ends with exit code 1 when the oldest of a kind should have gone more than a day ago.

Kept elsewhere, by other rules:

| what | the rule |
|---|---|
| Mirrors of GitHub | Refs of builds, updates and fetches go after 14 days, landing refs move to the ledger after a day, and \`GITHUB_MIRROR_MAX_GB\` bounds the room ([mirrors](operations.md#mirrors-of-github)) |
| Branches of bot pull requests | They go when the build has ended |
| Histories of workflows | The retention of Temporal's namespace, one day in the embedded Temporal. Rows hold the state, so no history is needed once its workflow has ended |
| Backups | \`npm run backup -- --into <dir> --keep <n>\` |
| \`interlock.log\`, \`postgres.log\`, \`temporal.log\` | They grow: rotate them with your own tools, or send the log of servers and workers elsewhere |

## What is kept for ever

- Landings and their proofs, with the batches, builds, results of checks and final gates that they were judged by. \`npm run verify\` derives every proof again from these and from git, whatever the age.
- Pull requests, release candidates, deployments, runbooks with their steps and commits, verifications with their steps.
- The audit log of users' actions, and the history of each configuration.
- The counts of analytics.

## Erasing a repository or an account

\`deleteRepository\` keeps the history of a repository that is out of use. \`eraseRepository\` leaves nothing: pull requests, landings, proofs, configuration, releases, runbooks, previews, logs, and the git folder of the local host go. \`eraseAccount\` does so for all repositories of the account, its users, tokens, webhooks and audit log. Both need an admin, and cannot be taken back. Make a [backup](operations.md#backup) first if anybody may ask for the proofs later.

\`preview: true\` says what goes, what is stopped and what stays. Without it, \`confirm\` is the name once more:

\`\`\`graphql
mutation { eraseRepository(input: {repository: {owner: "acme", name: "shop"}, confirm: "acme/shop"}) { erasure { requestedAt finishedAt } } }
\`\`\`

The name is free with the answer, and the tokens of an erased account end with it. Checks, deployments and verifications are asked to stop, and have a minute. Then servers and workers delete the rows, 2,000 at a time. A process that dies leaves the rest to the next one. While a landing is under way the request is refused, because the host may be moving the base.

What stays:

- The record: which name, who asked, when, and when the last row was gone. \`erasures\` lists it.
- Of each event its position and instant, because [positions have no gaps](adr/0005-event-log.md). An erased account has no events.
- Entries of the audit log that name the repository, and deliveries of webhooks about it for as long as deliveries are kept.
- At GitHub: commits, pull requests, comments, checks, labels and branches, also those of open builds. Remove the repository from the App's installation there.
- Mirrors on machines other than the one that erased, and backups. Remove them yourself.
- What was deployed runs on.
`;
}

function rowOf(kind: (typeof retainedKinds)[number]): string {
  const { what, setting, days, rule } = retained[kind];
  return `| ${what} | \`${kind}\` | ${setting === null ? 'none' : `\`${setting}\``} | ${days} | ${rule} |`;
}
