// The list of user actions cannot rot: it is held against the mutations of the schema and against the code.
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

/** Mutations that leave no entry, and why. */
const unrecorded: Readonly<Record<string, string>> = {
  openPullRequest: contribution,
  reviewPullRequest: contribution,
  addPullRequestComment: contribution,
  openReviewThread: contribution,
  resolveReviewThread: contribution,
  labelPullRequest: contribution,
  startSimulation: 'It changes nothing of the queue, and its row says who started it.',
};

const mutations = Object.keys(interlockSchema().getMutationType()?.getFields() ?? {});
const rules = Object.entries<UserActionRule>(userActions);
const recorded = new Set(rules.flatMap(([, { by }]) => by));
const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('user-actions.table.ts'))
  .map((file) => readFileSync(join(projectRoot, 'src', file), 'utf8'))
  .filter((text) => text.includes('UserAction'))
  .join('\n');

describe('a mutation', () => {
  it.each(mutations)('%s records what was done, or says why it does not', (mutation) => {
    expect([recorded.has(mutation), Object.hasOwn(unrecorded, mutation)].filter(Boolean)).toHaveLength(1);
  });

  it('that is listed is one', () => {
    expect([...recorded, ...Object.keys(unrecorded)].filter((name) => !mutations.includes(name))).toEqual([]);
  });
});

describe('a user action', () => {
  // Some are put together: `account_token_${what}`.
  it.each(rules)('%s is recorded somewhere, about an entity that is known', (action, { entity, by }) => {
    const stem = action.slice(0, action.lastIndexOf('_') + 1);
    expect(sources.includes(`'${action}'`) || sources.includes(`\`${stem}\${`)).toBe(true);
    expect(auditEntities).toContain(entity);
    expect(by.length).toBeGreaterThan(0);
  });

  it('is in the docs', () => {
    expect(readFileSync(join(projectRoot, 'docs/user-actions.md'), 'utf8')).toBe(userActionsMarkdown());
  });
});
