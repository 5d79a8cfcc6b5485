// Separation of duty: whose approval a pull request can have.
import { describe, expect, it } from 'vitest';
import { countReviews, isAmong, type Review } from '../../../src/domain/queue/requests/reviews.ts';

const approved = (reviewer: string): Review => ({ reviewer, verdict: 'approved' });
const refused = (reviewer: string): Review => ({ reviewer, verdict: 'changes_requested' });

describe('a reviewer', () => {
  it.each([
    ['of one name is an author of that name', ['ada'], ['ada'], true],
    ['is one under any of the names', ['ada', 'ada@acme.test'], ['ada@acme.test'], true],
    ['is one however it is written', ['Ada', 'ADA@acme.test'], ['@aDa'], true],
    ['is one beside others', ['bob'], ['ada', 'bob'], true],
    ['is none of another name', ['bob', 'bob@acme.test'], ['ada', 'ada@acme.test'], false],
    ['is none whose name only begins alike', ['ada'], ['ada-lovelace', 'ad'], false],
    ['is none where there is no author', ['ada'], [], false],
    ['without a name is nobody', [], ['ada'], false],
  ])('%s', (_what, names, authors, expected) => {
    expect(isAmong(names, authors)).toBe(expected);
  });
});

describe('what counts', () => {
  it.each([
    ['nothing, of nothing', [], ['ada'], 0, false],
    ['the approval of somebody else', [approved('bob')], ['ada'], 1, false],
    ['not the author’s', [approved('ada')], ['ada'], 0, false],
    ['not that of the person who requested it in the name of another', [approved('bob')], ['ada', 'bob'], 0, false],
    ['of two the one who is no author', [approved('bob'), approved('cleo')], ['ada', 'bob'], 1, false],
    ['what somebody else wants changed', [refused('bob'), approved('cleo')], ['ada'], 1, true],
    ['not what an author wanted changed before', [refused('bob'), approved('cleo')], ['ada', 'BOB'], 1, false],
  ] as const)('is %s', (_what, reviews, authors, approvals, changesRequested) => {
    expect(countReviews(reviews, authors)).toEqual({ approvals, changesRequested });
  });
});
