// Draws the rows of the line: the graph at the left, and next to it landings and builds. line-entries.tsx draws the
// pull requests.
import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { cx } from '../design/cx.ts';
import { Ago, At, Since } from '../design/time.tsx';
import { count, numbers, shortenCommit } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import type { BatchRowFragment } from '../generated/queue.ts';
import { passedConclusions, runningConclusions } from './conclusions.ts';
import { GradeSeal } from './grade.tsx';
import { layOut, type BatchRole, type BatchTitle, type Gutter, type Row, type Placement } from './line.ts';
import type { Landing, QueueData } from './summary.ts';
import type { Shared } from './line-entries.tsx';
import { fillSlots, type Slot } from './window.ts';
import styles from './queue.module.css';

export interface ShownBatch {
  readonly id: string;
  readonly position: number;
  readonly members: readonly number[];
  readonly assumes: readonly number[];
  readonly parent: string | null;
  readonly role: BatchRole;
  readonly batch: BatchRowFragment;
}

export type LineRow = Row<Slot, ShownBatch, Landing>;

/** Makes the rows of a queue. `past` has its latest landings, the newest first. */
export function rowsOf(queue: QueueData, past: readonly Landing[]): readonly LineRow[] {
  const landings = past.toReversed();
  const batches = queue.batches.nodes.map(
    (batch): ShownBatch => ({
      id: batch.id,
      position: batch.position,
      members: batch.members.map(({ pullRequest }) => pullRequest.number),
      assumes: batch.assumes.map(({ number }) => number),
      parent: batch.parent?.id ?? null,
      role: batch.role,
      batch,
    }),
  );
  return layOut<Slot, ShownBatch, Landing>({ landings, entries: fillSlots(queue), batches });
}

export function heightOf(row: LineRow, isNarrow: boolean): number {
  switch (row.kind) {
    case 'landing':
      return isNarrow ? 46 : 34;
    case 'tip':
      return 46;
    case 'batch':
      return 40;
    case 'entry':
      return isNarrow ? 68 : 48;
    case 'heading':
      return 34;
    default:
      return row satisfies never;
  }
}

export function Graph({ gutter }: { readonly gutter: Gutter }): ReactNode {
  const { above, below, dot, side } = gutter;
  const isCheck = side?.tone === 'check';
  const isSplit = above !== below;
  return (
    <span className={styles['graph']} aria-hidden="true">
      <i className={cx(styles['rail'], styles[`rail_${above}`], isSplit && styles['above'])} />
      {isSplit && <i className={cx(styles['rail'], styles[`rail_${below}`], styles['under'])} />}
      {side?.begins && (
        <svg className={cx(styles['switch'], isCheck && styles['check'])} viewBox="0 0 32 40">
          <path d="M2 0C2 18 27 12 27 36" />
        </svg>
      )}
      {side && (
        <i
          className={cx(
            styles['track'],
            styles[isCheck ? 'checking' : 'alternative'],
            side.begins && !side.passes && styles['begins'],
            side.ends && !side.passes && styles['ends'],
          )}
        />
      )}
      {dot !== 'none' && <i className={cx(styles['dot'], styles[`dot_${dot}`], isCheck && styles['check'])} />}
    </span>
  );
}

export function LandingRow({ landing, repository }: Shared & { readonly landing: Landing }): ReactNode {
  const first = landing.members[0]?.pullRequest;
  const rest = landing.members.slice(1).map(({ pullRequest }) => pullRequest.number);
  return (
    <div className={cx(styles['entry'], styles['flat'])}>
      <span className={styles['num']}>{first && `#${first.number}`}</span>
      <span className={styles['title']}>
        {first && (
          <Link
            to="/$owner/$name/pull/$number"
            params={{ ...repository, number: String(first.number) }}
            search={{ tab: 'proof' }}
          >
            <Name>{first.title}</Name>
            {rest.length > 0 && `, with ${numbers(rest)}`}
          </Link>
        )}
      </span>
      <span className="mono xs faint">{landing.commit && shortenCommit(landing.commit)}</span>
      <span>{landing.grade && <GradeSeal grade={landing.grade} />}</span>
      <span className={styles['eta']}>{landing.endedAt && <At at={landing.endedAt} />}</span>
    </div>
  );
}

export function TipRow({
  branch,
  tip,
  last,
  asOf,
}: {
  readonly branch: string;
  readonly tip: string | null;
  readonly last: Landing | undefined;
  readonly asOf: string | null;
}): ReactNode {
  return (
    <div className={cx(styles['entry'], styles['flat'], styles['tip'])}>
      <span />
      <span className={styles['title']}>
        <span className={styles['tipname']}>
          {branch} <span className="mono faint">{tip === null ? 'not read yet' : shortenCommit(tip)}</span>
        </span>
      </span>
      <span />
      <span />
      <span className={styles['eta']}>
        {last?.endedAt && (
          <small>
            <Ago at={last.endedAt} shownAt={asOf} />
          </small>
        )}
      </span>
    </div>
  );
}

const placementNames = {
  line: 'Batch',
  alternative: 'Alternative',
  part: 'Part of a batch,',
  isolation: 'Isolated retry,',
} as const satisfies Record<Placement, string>;

function describeTitle(title: BatchTitle): string {
  if (title.on === 'tip') return 'on the tip';
  if (title.on === 'batch') return `assumes batch ${title.position} lands`;
  const lands =
    title.lands.length > 0 ? `assumes ${numbers(title.lands, 4)} ${title.lands.length === 1 ? 'lands' : 'land'}` : '';
  const passes =
    title.passes.length > 0 ? `${numbers(title.passes, 4)} ${title.passes.length === 1 ? 'does' : 'do'} not` : '';
  if (passes === '') return lands;
  return lands === '' ? `assumes ${passes} land` : `${lands} and ${passes}`;
}

function describeBuild(batch: BatchRowFragment): {
  readonly text: ReactNode;
  readonly label: string;
  readonly tone: string;
} {
  const ok = batch.checks.filter(({ conclusion }) => passedConclusions.has(conclusion)).length;
  const gate = batch.finalGates.find(({ state }) => state === 'RUNNING');
  if (batch.state === 'MAKING') return { text: 'its commit is being made', label: 'making', tone: 'dim' };
  if (batch.state === 'LANDING') return { text: 'green, and landing now', label: 'landing', tone: 'green' };
  if (gate) return { text: `final gate ${gate.workflow} runs`, label: 'final gate', tone: 'blue' };
  if (batch.checks.length === 0) return { text: 'its checks have not started', label: 'building', tone: 'blue' };
  return { text: `${ok} of ${count(batch.checks.length, 'check')}`, label: 'building', tone: 'blue' };
}

export function BatchHead({
  row,
  members,
  asOf,
}: {
  readonly row: Extract<LineRow, { kind: 'batch' }>;
  readonly members: readonly number[];
  readonly asOf: string | null;
}): ReactNode {
  const { batch, placement, title, isBare } = row;
  const { text, label, tone } = describeBuild(batch.batch);
  const isBeside = placement !== 'line';
  return (
    <div
      className={cx(
        styles['head'],
        isBare && styles['bare'],
        isBeside && styles['beside'],
        (placement === 'part' || placement === 'isolation') && styles['check'],
      )}
    >
      <span className="cut">
        <b className={isBeside ? 'violet' : undefined}>
          {placementNames[placement]} {batch.position}
        </b>{' '}
        {describeTitle(title)}
        {isBare && `: ${numbers(members)}`}
        {batch.batch.successProbability !== null && (
          <span className="faint wide"> {Math.round(batch.batch.successProbability * 100)} % likely to pass</span>
        )}
      </span>
      <span className="nowrap">
        <CheckMarks checks={batch.batch.checks} />
        {text}
        {batch.batch.buildStartedAt && (
          <span className="faint wide">
            {' '}
            <Since at={batch.batch.buildStartedAt} shownAt={asOf} />
          </span>
        )}
      </span>
      <span className={cx(styles['eta'], tone)}>{placement === 'alternative' ? 'alternative' : label}</span>
    </div>
  );
}

function CheckMarks({
  checks,
}: {
  readonly checks: Extract<LineRow, { kind: 'batch' }>['batch']['batch']['checks'];
}): ReactNode {
  return (
    <span className={styles['checks']} aria-hidden="true">
      {checks.slice(0, 8).map(({ name, conclusion }) => (
        <i
          key={name}
          className={
            styles[passedConclusions.has(conclusion) ? 'ok' : runningConclusions.has(conclusion) ? 'run' : 'bad']
          }
        />
      ))}
    </span>
  );
}
