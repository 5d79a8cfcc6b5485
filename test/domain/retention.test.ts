import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutoffOf, readRetention, retentionCatalogue, retainedKinds } from '../../src/domain/retention/catalogue.ts';
import { retentionMarkdown } from '../../src/domain/retention/markdown.ts';
import { projectRoot } from '../../src/platform/project-root.ts';

describe('readRetention', () => {
  it('uses the defaults if settings are missing or empty', () => {
    const defaults = Object.fromEntries(retainedKinds.map((kind) => [kind, retentionCatalogue[kind].days]));
    expect(readRetention({})).toEqual(defaults);
    expect(readRetention({ KEEP_EVENTS_DAYS: '' })).toEqual(defaults);
  });

  it.each([
    ['KEEP_EVENTS_DAYS', '30', 'events', 30],
    ['KEEP_CHECK_OUTPUT_DAYS', '1', 'check_output', 1],
    ['KEEP_HISTORY_DAYS', 'forever', 'history', null],
  ] as const)('%s=%s', (name, value, kind, days) => {
    expect(readRetention({ [name]: value })[kind]).toBe(days);
  });

  it.each([
    ['KEEP_EVENTS_DAYS', '29', 'from 30 to 36500, not "29"'],
    ['KEEP_SESSIONS_DAYS', '7', 'from 8 to 36500, not "7"'],
    ['KEEP_INTENTS_DAYS', '90d', 'from 30 to 36500, not "90d"'],
    ['KEEP_TARGETS_DAYS', '0', 'from 1 to 36500, not "0"'],
    ['KEEP_TARGETS_DAYS', '-1', 'from 1 to 36500, not "-1"'],
    ['KEEP_TARGETS_DAYS', '99999', 'from 1 to 36500, not "99999"'],
  ])('%s=%s is refused by name', (name, value, ending) => {
    expect(() => readRetention({ [name]: value })).toThrow(
      `${name} must be forever, or a whole number of days ${ending}.`,
    );
  });
});

it('a cutoff is the configured number of days ago, or null for what is kept for ever', () => {
  const now = new Date('2026-03-31T12:00:00Z');
  expect(cutoffOf('events', readRetention({ KEEP_EVENTS_DAYS: '31' }), now)).toEqual(new Date('2026-02-28T12:00:00Z'));
  expect(cutoffOf('events', readRetention({ KEEP_EVENTS_DAYS: 'forever' }), now)).toBeNull();
});

it('the documentation and the chart name every setting', () => {
  const chart = readFileSync(join(projectRoot, 'deploy/chart/values.schema.json'), 'utf8');
  const settings = retainedKinds.flatMap((kind) => retentionCatalogue[kind].setting ?? []);
  expect(settings.filter((name) => !retentionMarkdown().includes(`\`${name}\``))).toEqual([]);
  expect(settings.filter((name) => !chart.includes(`"${name}"`))).toEqual([]);
});
