import { expect, test } from 'vitest';
import { chooseBotPullRequest, findUnusable } from '../../../src/domain/queue/planning/idle-bot-pull-requests.ts';

const idle = [
  { id: '7', pullRequests: ['p1', 'p2'] },
  { id: '9', pullRequests: ['p3'] },
  { id: '10', pullRequests: ['p2', 'p4'] },
];

test.each<[string, string[], string | null]>([
  ['its own', ['p3'], '9'],
  ['the one that shares most', ['p1', 'p2'], '7'],
  ['of several the newest', ['p2'], '10'],
  ['none of others', ['p5'], null],
])('a build takes %s', (_, members, id) => expect(chooseBotPullRequest(idle, members)?.id ?? null).toBe(id));

test.each<[string, { inLine: string[]; building: string[] }, string[]]>([
  ['all of whose pull requests have left', { inLine: [], building: [] }, ['7', '9', '10']],
  ['unless one of them waits for a build', { inLine: ['p2'], building: [] }, ['9']],
  ['whose pull requests in line are all built', { inLine: ['p2', 'p4'], building: ['p2', 'p4'] }, ['7', '9', '10']],
  ['unless one of several is not built', { inLine: ['p2', 'p4'], building: ['p2'] }, ['7', '9']],
])('an idle one is given up %s', (_, { inLine, building }, ids) =>
  expect(findUnusable(idle, { inLine: new Set(inLine), building: new Set(building) }).map(({ id }) => id)).toEqual(ids),
);
