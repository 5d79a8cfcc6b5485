// docs/retention.md, made from the catalogue.
import { retentionCatalogue, retainedKinds } from './catalogue.ts';

export function retentionMarkdown(): string {
  return `# Retention

How long Interlock keeps its records, and how a repository or an account is erased. Each setting is an environment variable with a whole number of days, or \`forever\`. Give all servers and workers the same values.

## What is deleted by age

| what | kind | setting | days | the rule |
|---|---|---|---|---|
${retainedKinds.map(rowOf).join('\n')}

Servers and workers delete old records when they start, and every hour. One process at a time deletes each kind, in transactions of 2,000 rows, so that no other transaction waits long, and a killed process leaves nothing half done. \`interlock_retention_deleted_total\` counts the deleted records by kind. If the deletion of a kind has not finished for a day, \`/readyz\` reports it under \`overdue\` as \`retention\`, and the log says why.

To see how much disk the records take, and how old the oldest of each kind is:

\`\`\`sh
npm run doctor -- --growth
npm run -s doctor -- --growth --json
\`\`\`

The report names the largest tables, what takes room in the data directory, and each kind with its setting. Its exit code is 1 if the oldest record of a kind should have been deleted more than a day ago.

Other rules apply to these:

| what | the rule |
|---|---|
| Commits and refs of repositories of the local host | Nothing is removed. [Repositories of the local host](operations.md#repositories-of-the-local-host) are packed |
| Mirrors of GitHub | [Mirrors of GitHub](operations.md#mirrors-of-github) has the rules |
| Branches of bot pull requests | Deleted when the build has ended |
| Histories of workflows | The retention of Temporal's namespace, which is one day in the embedded Temporal. Interlock does not need the history of a workflow that has ended |
| Backups | \`npm run backup -- --into <dir> --keep <n>\` |
| \`interlock.log\`, \`postgres.log\`, \`temporal.log\` and \`github-emulator.log\` of \`npm start\` | At the start and every hour, the lines of a log of more than 64 MB move to \`<name>.1\`, and replace the lines there |

## What is kept for ever

- Landings and their proofs, with the batches, builds, results of checks and final gates on which the proofs rest. From these and from git, \`npm run verify\` can derive every proof again.
- Pull requests, release candidates, deployments, runbooks with their steps and commits, verifications with their steps.
- The audit log of users' actions, the history of each configuration, and earlier pauses of base branches by pattern.
- The counts of analytics, and the first estimate of each landing.

## Exporting a repository or an account

An operator writes all that the installation has of a repository or an account into a new folder. Interlock may run meanwhile:

\`\`\`sh
npm run export -- acme/shop --to /tmp/shop
npm run export -- --account acme --to /tmp/acme
\`\`\`

- \`rows/<table>.jsonl\` has a JSON object for each row, all as of one moment: what an erasure would delete.
- \`repositories/<owner>/<name>.git\` is a copy of each repository of the local host. \`git clone\` reads it, and \`refs/interlock/landings/\` has each landed commit.
- \`export.json\` says which tables there are, how many rows each has, and which columns were left out because they hold secrets. It is written last: a folder without it is no export.

Logs that are kept as files (\`logs/\` in the data directory) and repositories of GitHub are not in it. An export is for people and other programs; a [backup](operations.md#backup) is what Interlock restores.

## Erasing a repository or an account

\`deleteRepository\` keeps the history of a repository. \`eraseRepository\` also deletes the history: pull requests, landings, proofs, configuration, releases, runbooks, previews, logs, and the git folder of the local host. \`eraseAccount\` erases all repositories of the account, and its users, tokens, webhooks and audit log. Both need an admin, and cannot be undone. Make an export first if you may need the proofs later.

With \`preview: true\` the answer says what would be deleted, stopped and kept. Without it, \`confirm\` must repeat the name:

\`\`\`graphql
mutation { eraseRepository(input: {repository: {owner: "acme", name: "shop"}, confirm: "acme/shop"}) { erasure { requestedAt finishedAt } } }
\`\`\`

From the answer on, the name can be used again, and the tokens of an erased account are invalid. Running checks, deployments, builds of release candidates, runbooks and verifications are asked to stop, and get one minute: a deployment or a build at a provider is canceled there, and commands and agents are stopped. Then servers and workers delete the rows; if a process dies, another one continues. While a landing is under way the request is refused, because the host may be moving the base.

What is not deleted:

- The record of the erasure: the name, the user, when it was requested, and when it was finished. \`erasures\` lists these records.
- The position and the time of each event of an erased repository, because [positions have no gaps](adr/0005-event-log.md). Of an erased account nothing is kept.
- Entries of the audit log that name the repository, and deliveries of webhooks about it for as long as deliveries are kept.
- Answers to requests with an \`Idempotency-Key\` that concern an erased repository. They are kept for the 24 hours of the key.
- At GitHub: commits, pull requests, comments, checks, labels and branches, also those of open builds. Remove the repository from the App's installation there.
- Mirrors on other machines than the erasing one, and backups. Remove them yourself.
- Deployed software, which continues to run.

## Why it works this way

- **The rows of a repository are found in PostgreSQL's catalogue of foreign keys**, so that tables of later versions are included. A test lists the tables without an owner.
- **A loop deletes, in small transactions.** With \`on delete cascade\` one statement would lock a year of rows, and a wrong \`delete\` would take proofs with it.
- **Logs are deleted by the age of each part**, and not by the end of their run. An index finds the oldest part, and an unfinished deployment does not keep other logs.
- **Events of an erased repository are emptied, not deleted**, because a subscriber would take a gap for deleted events and read its state again.
- **The record of an erasure refers to no row**, so that it outlives the account.
- **Tables are not partitioned by month**: unique keys would have to contain the instant, and installations differ in what they keep.
- **Workflows are not terminated at Temporal**, whose list of workflows is late. They end by themselves when their rows are gone.
`;
}

function rowOf(kind: (typeof retainedKinds)[number]): string {
  const { what, setting, days, rule } = retentionCatalogue[kind];
  return `| ${what} | \`${kind}\` | ${setting === null ? 'none' : `\`${setting}\``} | ${days} | ${rule} |`;
}
