import { expect, test } from 'vitest';
import {
  chooseBotPullRequest,
  findUnusableBotPullRequests,
} from '../../../src/domain/queue/planning/idle-bot-pull-requests.ts';

const idle = [
  { id: '7', pullRequests: ['p1', 'p2'] },
  { id: '9', pullRequests: ['p3'] },
  { id: '10', pullRequests: ['p2', 'p4'] },
];

test.each<[string, string[], string | null]>([
  ['its own bot pull request', ['p3'], '9'],
  ['the one with the most common members', ['p1', 'p2'], '7'],
  ['the newest of several', ['p2'], '10'],
  ['none of other pull requests', ['p5'], null],
])('a build uses this idle bot pull request: %s', (_, members, id) =>
  expect(chooseBotPullRequest(idle, members)?.id ?? null).toBe(id),
);

test.each<[string, { inLine: string[]; building: string[] }, string[]]>([
  ['if all its pull requests have left', { inLine: [], building: [] }, ['7', '9', '10']],
  ['unless one of its pull requests waits for a build', { inLine: ['p2'], building: [] }, ['9']],
  ['if its pull requests in line all have builds', { inLine: ['p2', 'p4'], building: ['p2', 'p4'] }, ['7', '9', '10']],
  ['unless one of several has no build', { inLine: ['p2', 'p4'], building: ['p2'] }, ['7', '9']],
])('an idle bot pull request is closed %s', (_, { inLine, building }, ids) =>
  expect(
    findUnusableBotPullRequests(idle, { inLine: new Set(inLine), building: new Set(building) }).map(({ id }) => id),
  ).toEqual(ids),
);
