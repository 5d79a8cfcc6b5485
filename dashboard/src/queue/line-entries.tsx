// Draws the entries of the line: a pull request with its reason and its forecast.
import { memo, type CSSProperties, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { cx } from '../design/cx.ts';
import { At } from '../design/time.tsx';
import { labelOf, withoutDirections } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import type { Placement } from './line.ts';
import type { Forecast, ShownEntry } from './summary.ts';
import { nameOf, toneOfActor } from './next-actor.ts';
import type { Slot } from './window.ts';
import styles from './queue.module.css';

/** What every row of a line needs. */
export interface Shared {
  readonly repository: { readonly owner: string; readonly name: string };
  readonly branch: string;
}

/** The time axis that all forecasts share. */
export interface Axis {
  readonly from: number;
  readonly to: number;
}

interface EntryProps extends Shared {
  readonly entry: ShownEntry;
  readonly placement: Placement | 'waiting' | 'out';
  readonly isLastOfCard: boolean;
  readonly isPicked: boolean;
  readonly forecast: Forecast | undefined;
  /** Why there is no forecast, in a word. */
  readonly unknown: string;
  readonly axis: Axis;
  readonly onPick: (number: number) => void;
}

export const EntryItem = memo(function EntryItem(props: EntryProps): ReactNode {
  const { entry, placement, isLastOfCard, isPicked, forecast, unknown, axis, repository, onPick } = props;
  const isOut = placement === 'out';
  const isInCard = placement !== 'waiting' && !isOut;
  const isBeside = isInCard && placement !== 'line';
  const tone = toneOfActor(entry.explain.who, entry.status === 'BLOCKED');
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- j and k choose a row by keyboard.
    <div
      className={cx(
        styles['entry'],
        isInCard ? styles['card'] : styles['waiting'],
        isLastOfCard && styles['last'],
        isBeside && styles['beside'],
        (placement === 'part' || placement === 'isolation') && styles['check'],
        isPicked && styles['pick'],
      )}
      onClick={({ target }) => {
        // A click on a link in the row does not choose the row.
        if (target instanceof Element && target.closest('a') === null) onPick(entry.number);
      }}
    >
      <span className={styles['num']}>#{entry.number}</span>
      <Title entry={entry} repository={repository} />
      <span className={cx(styles['who'], tone !== 'queue' && styles[tone])}>
        {nameOf(entry.explain.who, entry.author)}
      </span>
      <ForecastBar
        forecast={forecast}
        axis={axis}
        kind={isBeside ? 'other' : isInCard ? 'line' : 'late'}
        unknown={isOut ? '' : unknown}
      >
        {isOut && labelOf(entry.status)}
      </ForecastBar>
      <Eta forecast={forecast} />
    </div>
  );
});

function Title({ entry, repository }: Pick<EntryProps, 'entry' | 'repository'>): ReactNode {
  return (
    <span className={styles['title']}>
      <b>
        <Link to="/$owner/$name/pull/$number" params={{ ...repository, number: String(entry.number) }}>
          <Name isLine>{entry.title}</Name>
        </Link>
        {entry.skipLine && <span className={styles['skip']}>skips the line</span>}
      </b>
      <span className={styles['why']} title={entry.explain.reason}>
        {withoutDirections(entry.explain.reason)}
      </span>
    </span>
  );
}

function Eta({ forecast }: Pick<EntryProps, 'forecast'>): ReactNode {
  return (
    <span className={styles['eta']}>
      {forecast && (
        <>
          <At at={forecast.p50} />
          <small>
            by <At at={forecast.p90} />
          </small>
        </>
      )}
    </span>
  );
}

/** A pull request whose row has not been read yet. */
export function UnreadItem({ slot, isInCard }: { readonly slot: Slot; readonly isInCard: boolean }): ReactNode {
  return (
    <div className={cx(styles['entry'], styles[isInCard ? 'card' : 'waiting'])} aria-busy="true">
      <span className={styles['num']}>{slot.number > 0 && `#${slot.number}`}</span>
      <span className={cx(styles['title'], 'faint')}>{slot.place}. in line</span>
    </div>
  );
}

function ForecastBar({
  forecast,
  axis,
  kind,
  unknown,
  children,
}: {
  readonly forecast: Forecast | undefined;
  readonly axis: Axis;
  readonly kind: 'line' | 'late' | 'other';
  readonly unknown: string;
  readonly children?: ReactNode;
}): ReactNode {
  if (!forecast) return <span className={cx(styles['forecast'], styles['unknown'])}>{children || unknown}</span>;
  const share = (at: number): string =>
    `${(Math.min(1, Math.max(0, (at - axis.from) / (axis.to - axis.from))) * 100).toFixed(1)}%`;
  return (
    <span className={cx(styles['forecast'], kind !== 'line' && styles[kind])} aria-hidden="true">
      <i style={{ '--a': share(forecast.p50), '--b': share(forecast.p90) } as CSSProperties} />
    </span>
  );
}
