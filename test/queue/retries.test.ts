// Flaky checks: a failed check is tried again once, and counts only if it fails again.
import { describe, expect, it } from 'vitest';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { HostRefused } from '../../src/hosts/port.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import { dyingAt, expectLandedOnce, statuses } from './stories.ts';

const retrying = (more = ''): string => `flaky_retry:\n  enabled: true\n  context: The network is slow.\n${more}`;
const ci = 'checks:\n  test:\n    run: \'test ! -e bad && { test ! -e flaky || test "$INTERLOCK_ATTEMPT" -gt 1; }\'\n';

async function retries(w: World): Promise<{ commit: string; check: string; attempt: number; context: string }[]> {
  const rows = await w.rows<{ payload: never }>("select payload from event where action = 'check_retried' order by id");
  return rows.map(({ payload }) => payload);
}

async function readGreatestAttempt(w: World): Promise<number> {
  const [row] = await w.rows<{ most: number }>('select max(attempt) as most from local_check_run');
  return row?.most ?? 0;
}

describe('flaky_retry', () => {
  it('lands a pull request whose check fails once, and blocks one whose check fails twice, in parallel mode', async () => {
    await using w = await world({ configuration: `${parallel({ builds: 2 })}${retrying()}`, ci });
    const flaky = await w.open('flaky', { flaky: '1\n' });
    const broken = await w.open('broken', { bad: '1\n' });
    await w.queue(flaky, broken);
    await w.settled(flaky, broken);
    expect(await statuses(w, flaky, broken)).toEqual(['merged', 'blocked 107']);
    await expectLandedOnce(w, flaky);
    expect(await readGreatestAttempt(w)).toBe(2);
    const retried = await retries(w);
    expect(new Set(retried.map(({ commit, check }) => `${commit}:${check}`)).size).toBe(retried.length);
    const [proof] = await w.rows<{ body: { evidence: { commit: string; checks: object[] }[] } }>(
      'select body from proof',
    );
    const [evidence] = proof?.body.evidence ?? [];
    expect(retried).toContainEqual({
      commit: evidence?.commit,
      check: 'test',
      attempt: 2,
      context: 'The network is slow.',
    });
    expect(evidence?.checks).toEqual([
      { name: 'test', attempt: 1, conclusion: 'failure' },
      { name: 'test', attempt: 2, conclusion: 'success' },
    ]);
  });

  it('waits in serial mode for the second attempt, and starts no third one when its worker dies', async () => {
    await using w = await world({ configuration: `${serial()}${retrying()}`, ci });
    const flaky = await w.open('flaky', { flaky: '1\n' });
    await w.queue(flaky);
    await dyingAt(w, 'retry:after_host', async () => await w.settled(flaky));
    await expectLandedOnce(w, flaky);
    expect(await readGreatestAttempt(w)).toBe(2);
    expect((await retries(w)).map(({ attempt }) => attempt)).toEqual([2]);
  });

  it('decides about a check although the file about flaky checks is no text', async () => {
    const configuration = `${parallel()}flaky_retry:\n  enabled: true\n  context_file: flaky.txt\n`;
    await using w = await world({ configuration, ci });
    const broken = await w.open('broken', { bad: '1\n', 'flaky.txt': 'a\0b\n' });
    await w.queue(broken);
    await w.settled(broken);
    expect(await statuses(w, broken)).toEqual(['blocked 107']);
    expect(await retries(w)).toContainEqual(
      expect.objectContaining({ check: 'test', attempt: 2, context: 'a\u{FFFD}b\n' }),
    );
  });

  it.each([
    ['its checks', { read: 'readChecks', mark: '"expected":["test"],"movedAt":null', state: 'refused' }],
    ['the file about flaky checks', { read: 'readFile', mark: 'flaky.txt', state: 'started' }],
  ] as const)('decides about a check although the host refuses to show %s', async (_what, { read, mark, state }) => {
    const configuration = `${parallel()}flaky_retry:\n  enabled: true\n  context_file: flaky.txt\n`;
    await using w = await world({ configuration, ci });
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const answer = host[read].bind(host) as (...asked: unknown[]) => Promise<never>;
    const open = "select 1 from intent where kind = 'retry_check' and state in ('planned', 'started')";
    host[read] = async (...asked: unknown[]) => {
      const isOfRetry = (await w.rows(open)).length > 0;
      if (isOfRetry && JSON.stringify(asked).includes(mark))
        throw new HostRefused('Resource not accessible by integration');
      return await answer(...asked);
    };
    const broken = await w.open('broken', { bad: '1\n', 'flaky.txt': 'a\n' });
    await w.queue(broken);
    const ended = "select 1 from intent where kind = 'retry_check' and state in ('done', 'failed')";
    await w.until(async () => (await w.rows(ended)).length > 0);
    expect(await w.rows('select distinct state from check_retry')).toEqual([{ state }]);
    await w.settled(broken);
    expect(await statuses(w, broken)).toEqual(['blocked 107']);
  });

  it('retries only the checks that are named', async () => {
    const named = 'retriable_checks:\n    - name: e2e-*\n';
    await using w = await world({ configuration: `${parallel()}${retrying(`  ${named}`)}`, ci });
    const flaky = await w.open('flaky', { flaky: '1\n' });
    await w.queue(flaky);
    await w.settled(flaky);
    expect(await statuses(w, flaky)).toEqual(['blocked 107']);
    expect(await retries(w)).toEqual([]);
  });
});
