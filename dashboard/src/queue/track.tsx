// Shows the progress of a pull request from the request to the environments, and the list of what happened to it.
import type { ReactNode } from 'react';
import { cx } from '../design/cx.ts';
import parts from '../design/parts.module.css';
import { At, describeInstant } from '../design/time.tsx';
import { list, numbers, personOf, shortenCommit, labelOf } from '../design/labels.ts';
import type { PullRequest } from './pull-request.ts';
import styles from './track.module.css';

interface Stop {
  readonly name: string;
  readonly text: ReactNode;
  readonly state: 'done' | 'now' | 'ahead';
}

/** `It landed at 14:21 with #12, and runs in staging and production.` */
export function describeLanding(
  { number, mergedAt, landedBatch, environments = [] }: PullRequest,
  now: number,
): string {
  const others =
    landedBatch?.members.map(({ pullRequest }) => pullRequest.number).filter((one) => one !== number) ?? [];
  const landed = `It landed${mergedAt ? ` at ${describeInstant(mergedAt, now)}` : ''}${others.length > 0 ? ` with ${numbers(others)}` : ''}`;
  if (environments.length === 0) return `${landed}.`;
  const names = [...environments]
    .sort((a, b) => a.environment.position - b.environment.position)
    .map(({ environment }) => environment.name);
  return `${landed}, and runs in ${list(names)}.`;
}

function stopsOf(pull: PullRequest): readonly Stop[] {
  const isMerged = pull.status === 'MERGED';
  const isInLine = pull.status === 'QUEUED' || pull.status === 'TAGGED';
  const wasAsked = isMerged || isInLine || pull.status === 'PENDING' || pull.status === 'BLOCKED';
  return [
    {
      name: 'Asked',
      state: wasAsked ? 'done' : 'now',
      text: pull.requestedBy ? `by ${pull.requestedBy}` : wasAsked ? 'to merge' : 'not requested yet',
    },
    {
      name: 'In line',
      state: isMerged ? 'done' : isInLine ? 'now' : 'ahead',
      text: pull.status === 'BLOCKED' ? 'left the line' : pull.queuedAt ? <At at={pull.queuedAt} /> : 'not yet',
    },
    {
      name: 'Landed',
      state: isMerged ? 'done' : 'ahead',
      text: pull.mergedAt ? (
        <At at={pull.mergedAt} />
      ) : pull.explain.eta?.p50 ? (
        <>
          about <At at={pull.explain.eta.p50} />
        </>
      ) : (
        'not yet'
      ),
    },
    ...releaseStopsOf(pull),
  ];
}

/** The first candidate with the pull request, and the environments in which it runs, if the viewer may read them. */
function releaseStopsOf({ status, firstReleaseCandidate: candidate, environments }: PullRequest): readonly Stop[] {
  if (environments === undefined) return [];
  if (status !== 'MERGED' && !candidate) return [];
  const running = [...environments].sort((a, b) => a.environment.position - b.environment.position);
  return [
    {
      name: candidate ? candidate.version : 'Candidate',
      state: candidate ? 'done' : 'ahead',
      text: candidate ? <At at={candidate.createdAt} /> : 'in none yet',
    },
    ...running.map(
      ({ environment, since }): Stop => ({
        name: environment.name,
        state: 'done',
        text: (
          <>
            since <At at={since} />
          </>
        ),
      }),
    ),
  ];
}

export function Route({ pull }: { readonly pull: PullRequest }): ReactNode {
  return (
    <ol className={styles['route']}>
      {stopsOf(pull).map(({ name, text, state }) => (
        <li key={name} className={styles[state]}>
          <b>{name}</b>
          <span className="dim">{text}</span>
        </li>
      ))}
    </ol>
  );
}

interface TrackEvent {
  readonly at: string;
  readonly text: string;
  readonly detail: string;
  readonly tone: 'green' | 'blue' | 'red' | 'amber' | 'plain';
}

const endings = { LANDED: 'green', FAILED: 'red', BISECTED: 'amber', SUPERSEDED: 'amber' } as const;

/** What happened to the pull request, newest first. */
function trackEventsOf(pull: PullRequest): readonly TrackEvent[] {
  const all: TrackEvent[] = [
    { at: pull.createdAt, text: 'Opened', detail: `by ${personOf(pull.author)}`, tone: 'plain' },
  ];
  if (pull.queuedAt)
    all.push({
      at: pull.queuedAt,
      text: 'Entered the line',
      detail: pull.requestedBy ? `asked by ${pull.requestedBy}` : '',
      tone: 'green',
    });
  for (const batch of pull.batches.nodes) all.push(...batchEventsOf(batch, pull.number));
  if (pull.firstReleaseCandidate)
    all.push({
      at: pull.firstReleaseCandidate.createdAt,
      text: `In candidate ${pull.firstReleaseCandidate.version}`,
      detail: pull.firstReleaseCandidate.project.name,
      tone: 'green',
    });
  for (const { environment, since, releaseCandidate } of pull.environments ?? [])
    all.push({ at: since, text: `Runs in ${environment.name}`, detail: releaseCandidate.version, tone: 'green' });
  if (pull.mergedAt && pull.mergeCommit)
    all.push({ at: pull.mergedAt, text: 'Landed', detail: shortenCommit(pull.mergeCommit), tone: 'green' });
  return all.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function batchEventsOf(batch: PullRequest['batches']['nodes'][number], number: number): readonly TrackEvent[] {
  const others = batch.members.map(({ pullRequest }) => pullRequest.number).filter((one) => one !== number);
  const formed: TrackEvent = {
    at: batch.createdAt,
    text: `Batch ${batch.position} was formed`,
    detail: others.length === 0 ? 'alone' : `with ${numbers(others)}`,
    tone: 'blue',
  };
  const tone = (endings as Partial<Record<string, TrackEvent['tone']>>)[batch.state];
  if (!batch.endedAt || !tone) return [formed];
  const text = `Batch ${batch.position} ${labelOf(batch.state)}`;
  return [formed, { at: batch.endedAt, text, detail: batch.endedReason ?? '', tone }];
}

const momentsShown = 5;

/** The moments at which something happened to the pull request, oldest first. */
export function momentsOf(pull: PullRequest): readonly string[] {
  const all = trackEventsOf(pull).map(({ at }) => at);
  const byMinute = new Map(all.map((at) => [at.slice(0, 16), at]));
  return [...byMinute.values()].slice(0, momentsShown).toReversed();
}

export function PullRequestHistory({ pull }: { readonly pull: PullRequest }): ReactNode {
  return (
    <ol className={cx(parts['timeline'])}>
      {trackEventsOf(pull).map(({ at, text, detail, tone }) => (
        <li key={`${at}${text}`} data-tone={tone}>
          <At at={at} />
          <i aria-hidden="true" />
          <span>
            {text}
            {detail !== '' && <small>{detail}</small>}
          </span>
        </li>
      ))}
    </ol>
  );
}
