import { describe, expect, it } from 'vitest';
import {
  judgeParts,
  nextAsk,
  nextHealth,
  type LastAsk,
  standstillOf,
  type PartFacts,
  type TemporalHealth,
} from '../../../src/domain/health/parts.ts';

const at = new Date('2026-01-02T03:04:05Z');
const answers = { silentSince: null, idleSince: null };

const cases: readonly (readonly [string, PartFacts, Readonly<Record<string, string | null>>])[] = [
  ['all is well', { overdue: [], temporal: answers }, { database: null, temporal: null, worker: null }],
  ['nothing is known of Temporal yet', { overdue: [], temporal: null }, { database: null }],
  [
    'the database does not answer',
    { overdue: null, temporal: answers },
    { database: 'The database does not answer.', temporal: null, worker: null },
  ],
  [
    'Temporal does not answer, so the state of workers is unknown',
    { overdue: [], temporal: { silentSince: at, idleSince: at } },
    {
      database: null,
      temporal: 'Temporal does not answer: nothing is planned, built or landed until Temporal answers.',
    },
  ],
  [
    'Temporal lacks the namespace',
    { overdue: [], temporal: { silentSince: at, idleSince: null, missingNamespace: 'shop' } },
    {
      database: null,
      temporal: 'Temporal has no namespace shop. Correct TEMPORAL_NAMESPACE of this process, or create the namespace.',
    },
  ],
  [
    'no worker asks for work',
    { overdue: [], temporal: { silentSince: null, idleSince: at } },
    {
      database: null,
      temporal: null,
      worker: 'No worker is running: nothing is planned, built or landed until a worker starts.',
    },
  ],
  [
    'work is overdue',
    {
      overdue: [
        { what: 'checks', count: 1, since: at },
        { what: 'webhooks', count: 2, since: at },
      ],
      temporal: null,
    },
    {
      database: null,
      checks: '1 check is past its own time limit. Restart the worker, and report what its log says.',
      webhooks: '2 webhook deliveries are past their own time limit. Restart the worker, and report what its log says.',
    },
  ],
];

describe('the parts of an installation', () => {
  it.each(cases)('%s', (_name, facts, sentences) => {
    const parts = judgeParts(facts);
    expect(Object.fromEntries(parts.map(({ name, sentence }) => [name, sentence]))).toEqual(sentences);
    expect(parts.map(({ well }) => well)).toEqual(parts.map(({ sentence }) => sentence === null));
  });

  it('that are not well have the time since when, as far as it is known', () => {
    const parts = judgeParts({
      overdue: [{ what: 'runbooks', count: 1, since: at }],
      temporal: { silentSince: null, idleSince: at },
    });
    expect(parts.map(({ name, since }) => [name, since])).toEqual([
      ['database', null],
      ['temporal', null],
      ['worker', at],
      ['runbooks', at],
    ]);
  });
});

describe('the next state of Temporal', () => {
  const before = (seconds: number): Date => new Date(at.getTime() - seconds * 1_000);
  const silent = { kind: 'Silent' } as const;
  const asked = (askedAt: Date | null) => ({ kind: 'Answered', askedAt }) as const;
  it.each([
    ['silent from the start', null, silent, { silentSince: at, idleSince: null }],
    ['still silent', { silentSince: before(9), idleSince: null }, silent, { silentSince: before(9), idleSince: null }],
    [
      'without the namespace',
      null,
      { kind: 'NoNamespace', namespace: 'shop' } as const,
      { silentSince: at, idleSince: null, missingNamespace: 'shop' },
    ],
    ['back', { silentSince: before(9), idleSince: null }, asked(before(1)), answers],
    ['a worker asked within the last 90 seconds', null, asked(before(90)), answers],
    ['the last worker has gone', answers, asked(before(91)), { silentSince: null, idleSince: before(91) }],
    ['no worker was ever there', null, asked(null), { silentSince: null, idleSince: at }],
    [
      'still no worker is there',
      { silentSince: null, idleSince: before(200) },
      asked(null),
      { silentSince: null, idleSince: before(200) },
    ],
  ])('%s', (_name, known, answer, expected) => {
    expect(nextHealth(known, answer, at)).toEqual(expected);
  });
});

describe('the last request of a worker for work, if the clock of Temporal is five minutes behind', () => {
  const after = (seconds: number): Date => new Date(at.getTime() + seconds * 1_000);
  const first = { at: after(-300), seenAt: after(-300) };
  it.each([
    ['is known by the clock of Temporal alone at the first look', null, after(-300), first],
    ['was just now if it is a later one than at the last look', first, after(-240), { at: after(-240), seenAt: at }],
    [
      'is as old as before if it is the same one',
      { at: after(-300), seenAt: after(-9) },
      after(-300),
      {
        at: after(-300),
        seenAt: after(-9),
      },
    ],
    [
      'is as old as before if the clock of Temporal was set back',
      { at: after(-1), seenAt: after(-9) },
      after(-300),
      {
        at: after(-300),
        seenAt: after(-9),
      },
    ],
    ['is unknown if Temporal knows no worker', first, null, null],
  ])('%s', (_name, before, askedAt, expected) => {
    expect(nextAsk(before, askedAt, at)).toEqual(expected);
  });

  it('shows that a worker is running from the second request on', () => {
    const seen = nextAsk(first, after(-240), at);
    const before = { silentSince: null, idleSince: after(-300) };
    expect(nextHealth(before, { kind: 'Answered', askedAt: seen?.seenAt ?? null }, at)).toEqual(answers);
  });
});

describe('the last request of a worker for work, at the first answer after an outage of two minutes', () => {
  const ago = (seconds: number): Date => new Date(at.getTime() - seconds * 1_000);
  const down = ago(120);
  const answered = (before: LastAsk, askedAt: Date | null) => {
    const seen = nextAsk(before, askedAt, at, down);
    return nextHealth({ silentSince: down, idleSince: null }, { kind: 'Answered', askedAt: seen?.seenAt ?? null }, at);
  };
  it.each([
    ['five seconds before the outage', ago(125), ago(125), answers],
    ['five seconds before the outage, and Temporal has forgotten it', ago(125), null, answers],
    ['since the outage', ago(125), ago(1), answers],
    ['91 seconds before the outage', ago(211), ago(211), { silentSince: null, idleSince: ago(91) }],
    [
      '91 seconds before the outage, and Temporal has forgotten it',
      ago(211),
      null,
      { silentSince: null, idleSince: at },
    ],
  ])('was made %s', (_name, before, askedAt, expected) => {
    expect(answered({ at: before, seenAt: before }, askedAt)).toEqual(expected);
  });

  it('is forgotten by Temporal, and counts for 90 seconds', () => {
    expect(nextAsk({ at: ago(90), seenAt: ago(90) }, null, at)).toEqual({ at: ago(90), seenAt: ago(90) });
    expect(nextAsk({ at: ago(91), seenAt: ago(91) }, null, at)).toBeNull();
  });
});

describe('a standstill', () => {
  const ago = (seconds: number): Date => new Date(at.getTime() - seconds * 1_000);
  it.each<readonly [string, TemporalHealth | null, string | null]>([
    ['Temporal was not queried yet', null, null],
    ['Temporal answers, and a worker asks', answers, null],
    ['one answer of Temporal is late', { silentSince: at, idleSince: null }, null],
    ['Temporal is silent for less than 15 seconds', { silentSince: ago(14.999), idleSince: null }, null],
    ['Temporal is silent for 15 seconds', { silentSince: ago(15), idleSince: null }, 'temporal_silent'],
    ['no worker asks since this instant', { silentSince: null, idleSince: at }, null],
    ['no worker asks for less than 15 seconds', { silentSince: null, idleSince: ago(14.999) }, null],
    ['no worker asks for 15 seconds', { silentSince: null, idleSince: ago(15) }, 'no_worker'],
    ['no worker asked before Temporal was silent', { silentSince: ago(14), idleSince: ago(200) }, null],
    [
      'Temporal is silent, and no worker asked before',
      { silentSince: ago(15), idleSince: ago(200) },
      'temporal_silent',
    ],
    [
      'only this process has no namespace',
      { silentSince: ago(200), idleSince: ago(200), missingNamespace: 'shop' },
      null,
    ],
  ])('%s', (_name, temporal, expected) => {
    expect(standstillOf(temporal, at)).toBe(expected);
  });
});
