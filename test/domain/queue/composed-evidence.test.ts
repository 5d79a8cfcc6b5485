import { describe, expect, it } from 'vitest';
import { isComposed, type Composition } from '../../../src/domain/queue/evidence/composed-evidence.ts';
import type { Targets } from '../../../src/domain/queue/model/overlap.ts';

const of = (name: string, targets: Targets = [name]) => ({ pullRequest: name, head: `head of ${name}`, targets });
const pinned = (name: string) => ({ pullRequest: name, head: `head of ${name}` });
const landed = (commit: string, firstParent: string, ...members: ReturnType<typeof of>[]) => ({
  commit,
  firstParent,
  members,
});
const shared: Targets = ['shared'];

/** `p` was built green on `0`, alone. Since then the base has moved to `1`. */
const usual: Composition = {
  tip: '1',
  members: [of('p')],
  parts: [{ base: '0', content: [pinned('p')] }],
  landings: [landed('1', '0', of('q'))],
};

describe('green builds of its parts justify a landing', () => {
  it.each<[string, Partial<Composition>]>([
    ['if later landings are disjoint', {}],
    ['if nothing has landed since', { tip: '0', landings: [] }],
    [
      'if its assumptions have landed since, and all other landings are disjoint',
      {
        members: [of('p', shared)],
        parts: [{ base: '0', content: [pinned('a'), pinned('p')] }],
        tip: '2',
        landings: [landed('1', '0', of('a', shared)), landed('2', '1', of('q'))],
      },
    ],
    [
      'if its assumptions land with it',
      {
        members: [of('a', shared), of('p', shared)],
        parts: [{ base: '0', content: [pinned('a'), pinned('p')] }],
      },
    ],
    [
      'if what overlaps it landed before its build was made',
      { landings: [landed('0', 'before', of('a', ['p'])), landed('1', '0', of('q'))] },
    ],
    [
      'if each part has what is before its own pull request, but not what is behind it',
      {
        tip: '0',
        landings: [],
        members: [of('a', ['x']), of('p', ['x', 'y']), of('r', ['y'])],
        parts: [['a'], ['a', 'p'], ['p', 'r']].map((names) => ({ base: '0', content: names.map(pinned) })),
      },
    ],
    [
      'if its parts are disjoint',
      {
        members: [of('p'), of('r')],
        parts: [
          { base: '0', content: [pinned('p')] },
          { base: '1', content: [pinned('r')] },
        ],
      },
    ],
    [
      'if a landing together contains its assumptions, and otherwise only disjoint pull requests',
      {
        members: [of('p', shared)],
        parts: [{ base: '0', content: [pinned('a'), pinned('p')] }],
        landings: [landed('1', '0', of('a', shared), of('z', ['z']))],
      },
    ],
  ])('%s', (_name, change) => expect(isComposed({ ...usual, ...change })).toBe(true));
});

describe('green builds of parts do not justify a landing', () => {
  it.each<[string, Partial<Composition>]>([
    ['without any build', { parts: [] }],
    ['if a later landing overlaps', { landings: [landed('1', '0', of('q', ['p']))] }],
    ['if nothing lands', { members: [] }],
    ['if its targets are unknown', { members: [of('p', null)] }],
    [
      'if its targets are unknown, although nothing has landed since',
      { members: [of('p', null)], tip: '0', landings: [] },
    ],
    [
      'if its part has them in another order',
      {
        members: [of('p', shared), of('r', shared)],
        parts: [{ base: '0', content: [pinned('r'), pinned('p')] }],
      },
    ],
    ['if the targets of a later landing are unknown', { landings: [landed('1', '0', of('q', null))] }],
    ['if somebody has pushed to the base', { landings: [{ commit: '1', firstParent: '0', members: null }] }],
    ['if the base of a build was never the tip', { parts: [{ base: 'elsewhere', content: [pinned('p')] }] }],
    ['if the last landing is unknown', { tip: '2' }],
    ['if its assumptions have not landed yet', { parts: [{ base: '0', content: [pinned('a'), pinned('p')] }] }],
    [
      'if its assumption has landed with another head',
      {
        parts: [{ base: '0', content: [pinned('q'), pinned('p')] }],
        landings: [landed('1', '0', { ...of('q'), head: 'another' })],
      },
    ],
    ['if its own head has changed', { members: [{ ...of('p'), head: 'another' }] }],
    ['if a member is in no part', { members: [of('p'), of('r')] }],
    [
      'if its parts overlap',
      {
        members: [of('p', shared), of('r', shared)],
        parts: [
          { base: '0', content: [pinned('p')] },
          { base: '0', content: [pinned('r')] },
        ],
      },
    ],
  ])('%s', (_name, change) => expect(isComposed({ ...usual, ...change })).toBe(false));
});
