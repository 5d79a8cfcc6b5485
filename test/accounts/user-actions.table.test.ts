// Compares the list of user actions with the mutations of the schema and with the code, so that the list stays
// complete.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { interlockSchema } from '../../src/graphql/schema.ts';
import {
  auditEntities,
  userActions,
  userActionsMarkdown,
  type UserActionRule,
} from '../../src/modules/accounts/user-actions.table.ts';
import { projectRoot } from '../../src/platform/project-root.ts';

const contribution = "A contributor's work on the code host, which keeps its history itself.";

/** Mutations that leave no entry in the audit log, and the reason of each. */
const unrecorded: Readonly<Record<string, string>> = {
  openPullRequest: contribution,
  reviewPullRequest: contribution,
  addPullRequestComment: contribution,
  openReviewThread: contribution,
  resolveReviewThread: contribution,
  labelPullRequest: contribution,
  startSimulation: 'It changes nothing of the queue, and its row says who started it.',
};

const mutationNames = Object.keys(interlockSchema().getMutationType()?.getFields() ?? {});
const rules = Object.entries<UserActionRule>(userActions);
const recorded = new Set(rules.flatMap(([, { mutations }]) => mutations));
const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('user-actions.table.ts'))
  .map((file) => readFileSync(join(projectRoot, 'src', file), 'utf8'))
  .filter((text) => text.includes('UserAction'))
  .join('\n');

describe('a mutation', () => {
  it.each(mutationNames)('%s is either recorded, or has a reason not to be', (mutation) => {
    expect([recorded.has(mutation), Object.hasOwn(unrecorded, mutation)].filter(Boolean)).toHaveLength(1);
  });

  it('exists if the list names it', () => {
    expect([...recorded, ...Object.keys(unrecorded)].filter((name) => !mutationNames.includes(name))).toEqual([]);
  });
});

describe('a user action', () => {
  // Some names are put together in the code: `account_token_${what}`.
  it.each(rules)('%s is recorded somewhere, and is about a known entity', (action, { entity, mutations }) => {
    const stem = action.slice(0, action.lastIndexOf('_') + 1);
    expect(sources.includes(`'${action}'`) || sources.includes(`\`${stem}\${`)).toBe(true);
    expect(auditEntities).toContain(entity);
    expect(mutations.length).toBeGreaterThan(0);
  });

  it('is listed in docs/user-actions.md', () => {
    expect(readFileSync(join(projectRoot, 'docs/user-actions.md'), 'utf8')).toBe(userActionsMarkdown());
  });
});
