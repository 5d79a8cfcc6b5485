// `explain` says why a pull request is not merged. Asked later about the same moment, it gives the same answer.
import { describe, expect, it } from 'vitest';
import { approvePullRequest, haltQueue, openPullRequest, resumeQueue } from '../../src/modules/queue/index.ts';
import { pauseBranches } from '../../src/modules/repositories/index.ts';
import { logExplanations, expectSameLater, explainWorld, find, type Answer } from '../support/explanation-log.ts';
import { parallel, world } from '../support/world.ts';
import { judgedByBuildsAlone, startCi, statuses } from './stories.ts';

const sentences = (said: readonly Answer[]) => said.map(({ sentence }) => sentence);

describe('an explanation', () => {
  it('says at every step what is missing and who must act, and gives the same answer later for that moment', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 1 })}preconditions:\n  number_of_approvals: 1\n  use_github_mergeability: false\n`,
      runsCi: false,
    });
    await using story = logExplanations(w);
    const reviewer = { ...w.ctx, actor: { ...w.ctx.actor, handle: 'grace' } };
    const beforeAll = new Date();
    const a = await w.open('a', { 'a.txt': 'a\n' });
    const b = await w.open('b', { 'b.txt': 'b\n' });
    const numbers = [a, b];
    expect(sentences(await story.write())).toEqual(numbers.map(() => 'Nobody has asked to merge it.'));

    await w.queue(a, b);
    const [pending] = await story.write();
    expect(pending).toMatchObject({ kind: 'precondition', who: 'reviewer' });
    expect(pending?.sentence).toBe((await w.status(a)).status_text);
    expect(find(pending, 'preconditions', 'approvals')).toMatchObject({
      holds: false,
      observed: '0',
      needed: '1',
      who: 'reviewer',
      sentence: pending?.sentence,
    });

    for (const number of numbers)
      await approvePullRequest(reviewer, { repository: w.repository, number, verdict: 'approved' });
    await w.pause(true);
    await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'queued'));
    const [paused] = await story.write();
    expect(paused).toMatchObject({ kind: 'paused', who: 'admin', sentence: 'The queue is paused.' });
    expect(find(paused, 'queue', 'not_paused')?.cause).toMatchObject({ action: 'repository_paused' });
    await pauseBranches(w.ctx, {
      repository: w.repository,
      pattern: 'ma*',
      paused: true,
      pausedMessage: 'release day',
    });
    await w.pause(false);
    expect(sentences(await story.write())[0]).toBe('The queue is paused: release day');
    await pauseBranches(w.ctx, { repository: w.repository, pattern: 'ma*', paused: false });

    await w.until(async () => (await statuses(w, a)).includes('tagged'));
    const [building, behind] = await story.write();
    expect(building?.sentence).toBe('Its build is running.');
    expect(find(building, 'build')).toMatchObject({ holds: false, observed: 'running', who: 'ci' });
    expect(find(building, 'build', 'check')).toMatchObject({ name: 'test', holds: false });
    expect(behind?.sentence).toBe('It waits until no other build runs; one pull request is before it.');
    expect(find(behind, 'place')).toMatchObject({ holds: false, observed: `1 before it: #${a}` });

    await haltQueue(w.ctx, { repository: w.repository, baseBranch: 'main', reason: 'somebody looks into it' });
    expect(sentences(await story.write())).toEqual(numbers.map(() => 'The queue is halted: somebody looks into it'));
    await resumeQueue(w.ctx, { repository: w.repository, baseBranch: 'main' });
    await w.dequeue(b);
    expect(sentences(await story.write())[1]).toBe('It was dequeued by interlock.');

    await using _ = await startCi(w);
    await w.settled(a);
    expect(sentences(await story.write())[0]).toBe('It is merged.');

    await expectSameLater(w, story);
    expect(sentences(await explainWorld(w, beforeAll))).toEqual(
      numbers.map(() => 'Interlock did not know the pull request yet.'),
    );
  });

  it('of a blocked pull request has the text of the event, and names the conditions that still do not hold', async () => {
    await using w = await world({
      configuration: `preconditions:\n  validations:\n    - name: a ticket is named\n      match: {type: title, regex: 'T-[0-9]+'}\n    - name: no fixup\n      match: {type: title, regex: '^[^!]*$'}\n`,
      runsCi: false,
    });
    await using story = logExplanations(w);
    const named = await w.open('a', { 'a.txt': 'a\n' }, { title: 'T-1 Add a' });
    const unnamed = await w.open('b', { 'b.txt': 'b\n' }, { title: 'Add b' });
    await w.commit('c', { 'c.txt': 'c\n' });
    await openPullRequest(w.ctx, {
      repository: w.repository,
      title: 'T-3 Draft',
      headBranch: 'c',
      baseBranch: 'main',
      draft: true,
    });
    const draft = unnamed + 1;
    await w.queue(unnamed, draft);
    const [open, blocked, held] = await story.write();
    expect(open?.conditions.map(({ kind, holds }) => [kind, holds])).toEqual([
      ['asked', false],
      ['preconditions', false],
    ]);
    expect(find(open, 'preconditions', 'own_checks')).toMatchObject({ observed: 'running', who: 'ci' });
    expect(find(open, 'preconditions', 'own_checks', 'check')).toMatchObject({ name: 'test', observed: 'running' });
    const blockedBy = await w.rows<{ text: string }>(
      "select payload ->> 'statusText' as text from event where action = 'blocked' order by id",
    );
    expect([blocked?.sentence, held?.sentence]).toEqual(blockedBy.map(({ text }) => text));
    expect(find(blocked, 'preconditions', 'validations')).toMatchObject({ holds: false, sentence: blocked?.sentence });
    expect(find(blocked, 'preconditions', 'validations')?.conditions.map(({ name, holds }) => [name, holds])).toEqual([
      ['a ticket is named', false],
      ['no fixup', true],
    ]);
    expect(find(held, 'preconditions', 'draft')).toMatchObject({ holds: false, sentence: held?.sentence });
    expect(find(held, 'asked')?.cause).toMatchObject({ action: 'blocked' });

    await w.queue(named);
    await w.configure('merge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n');
    await story.write();
    await expectSameLater(w, story);
  });

  it('names the conflict that blocked a head, also after later landings, until the head moves', async () => {
    await using w = await world({ configuration: `${parallel({ builds: 1, batch: 1 })}${judgedByBuildsAlone}` });
    await using story = logExplanations(w);
    const first = await w.open('first', { 'same.txt': 'first\n' });
    const second = await w.open('second', { 'same.txt': 'second\n' });
    const third = await w.open('third', { 'third.txt': 'third\n' });
    await w.queue(first, second, third);
    await w.settled(first, second, third);
    expect(await statuses(w, first, second, third)).toEqual(['merged', 'blocked 106', 'merged']);
    const [, blocked] = await story.write();
    expect(find(blocked, 'preconditions')).toMatchObject({ holds: false, who: 'author' });
    expect(find(blocked, 'preconditions', 'mergeable')).toMatchObject({
      holds: false,
      observed: 'conflicts',
      sentence: blocked?.sentence,
    });
    await w.commit('second', { 'other.txt': 'other\n' });
    const [, moved] = await story.write();
    expect(find(moved, 'preconditions', 'mergeable')).toMatchObject({ holds: true, observed: 'no conflict is known' });
    await expectSameLater(w, story);
  });

  it('shows that own checks run, and that running own checks do not keep a pull request out of the line', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
    await w.open('a', { 'a.txt': 'a\n' });
    const [open] = await explainWorld(w, null);
    expect(find(open, 'preconditions', 'own_checks')).toMatchObject({
      holds: true,
      observed: 'running',
      sentence: 'Its own required checks: running. Needed before it is in line: not failed.',
    });
  });

  it('says that a required check of the head was canceled, and who must run it again', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 1, more: 'check_mergeability_to_queue: true\n' })}preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n`,
      ci: "checks:\n  test: {run: 'sleep 600'}\n",
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.until(async () => (await w.rows("select 1 from local_check_run where state = 'running'")).length > 0);
    await w.rows('update local_check_run set cancel_requested = true');
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'cancelled'")).length > 0);
    await w.queue(number);
    const [answer] = await explainWorld(w, null);
    expect(answer).toMatchObject({
      who: 'author',
      sentence: 'Its own required checks were canceled: test. Run them again.',
    });
    expect((await w.status(number)).status_text).toBe(answer?.sentence);
  });
});
