import { expect, test } from 'vitest';
import { chooseSpare } from '../../../src/domain/queue/spare.ts';

const spares = [
  { id: '7', pullRequests: ['p1', 'p2'] },
  { id: '9', pullRequests: ['p3'] },
  { id: '10', pullRequests: ['p2', 'p4'] },
];

test.each<[string, string[], string | null]>([
  ['its own', ['p3'], '9'],
  ['the one that shares most', ['p1', 'p2'], '7'],
  ['of several the newest', ['p2'], '10'],
  ['none of others', ['p5'], null],
])('a build takes %s', (_, members, id) => expect(chooseSpare(spares, members)?.id ?? null).toBe(id));
