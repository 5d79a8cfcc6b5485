// Shows as a tree everything that has to hold before a pull request is merged, in order.
import type { ReactNode } from 'react';
import { cx } from '../design/cx.ts';
import { Icon } from '../design/icons.tsx';
import { At } from '../design/time.tsx';
import { labelOf } from '../design/labels.ts';
import styles from './conditions.module.css';

export interface ShownCondition {
  readonly kind: string;
  readonly name?: string | null;
  readonly holds: boolean;
  readonly sentence: string;
  readonly needed: string;
  readonly observed: string;
  readonly who?: string | null;
  readonly since?: string | null;
  readonly nextCheckAt?: string | null;
  readonly cause?: { readonly action: string; readonly actor?: string | null; readonly at: string } | null;
  readonly conditions?: readonly ShownCondition[];
}

/** Whether the condition holds so far, although a check that is part of it has not ended. */
function isRunning({ holds, conditions = [] }: ShownCondition): boolean {
  return holds && conditions.some((part) => !part.holds && part.who === 'CI');
}

/** The tone of a condition: whether it changes by itself, or a person must act. */
function toneOf(condition: ShownCondition): 'green' | 'blue' | 'amber' | 'faint' {
  const { holds, who } = condition;
  if (isRunning(condition)) return 'blue';
  if (holds) return 'green';
  if (who === 'CI') return 'blue';
  return who === 'QUEUE' || who === null || who === undefined ? 'faint' : 'amber';
}

export function Conditions({ conditions }: { readonly conditions: readonly ShownCondition[] }): ReactNode {
  return (
    <ul className={styles['conditions']}>
      {conditions.map((condition) => (
        <ConditionItem key={`${condition.kind} ${condition.name ?? ''} ${condition.sentence}`} condition={condition} />
      ))}
    </ul>
  );
}

function ConditionItem({ condition }: { readonly condition: ShownCondition }): ReactNode {
  const tone = toneOf(condition);
  const { holds, observed, needed, since, cause, nextCheckAt, conditions = [] } = condition;
  const icon = tone === 'green' ? 'check' : tone === 'blue' ? 'running' : 'circle';
  const state = isRunning(condition) ? 'Holds so far: ' : holds ? 'Holds: ' : 'Does not hold yet: ';
  return (
    <li>
      <Icon name={icon} className={tone} />
      <div>
        <span className="hidden">{state}</span>
        {condition.sentence}
        {!holds && (
          <small>
            Needed: {needed}. Seen: {observed}.
            {nextCheckAt && (
              <>
                {' '}
                Next look <At at={nextCheckAt} />.
              </>
            )}
          </small>
        )}
        {cause && (
          <small>
            {labelOf(cause.action)}
            {cause.actor && ` by ${cause.actor}`}, <At at={cause.at} />
          </small>
        )}
      </div>
      <span className={cx('xs', 'faint', 'nowrap')}>
        {since && (
          <>
            since <At at={since} />
          </>
        )}
      </span>
      {conditions.length > 0 && <Conditions conditions={conditions} />}
    </li>
  );
}
