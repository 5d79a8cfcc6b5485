// Shows whether the page is live: whether it changes by itself when something happens.
import type { ReactNode } from 'react';
import { useNow } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { count } from '../design/labels.ts';
import { Banner, Button } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { describeDuration, describeInstant } from '../design/time.tsx';
import { retryNow, useConnection } from './live.ts';

const bannerAfterMs = 1_000;

export function ConnectionBanner(): ReactNode {
  const { state, offSince, retryAt, caughtUp } = useConnection();
  const now = useNow();
  if (state === 'live' && caughtUp !== null)
    return <Banner tone="green">Live again. {count(caughtUp, 'new change')}.</Banner>;
  if (state !== 'off' || offSince === null || now - offSince < bannerAfterMs) return null;
  return (
    <Banner tone="red" action={<Button onClick={retryNow}>Try now</Button>}>
      Not live since {describeInstant(offSince, now)}. The page shows what it last received. The next attempt is in{' '}
      {describeDuration(Math.max(0, (retryAt ?? now) - now))}.
    </Banner>
  );
}

/** Shows whether the page changes by itself when something happens. */
export function LiveSign(): ReactNode {
  const { state, isBehind } = useConnection();
  const isOff = state === 'off' || isBehind;
  if (state === 'idle' && !isOff) return null;
  return <span className={cx(parts['live'], isOff && parts['off'])}>{isOff ? 'Not live' : 'Live'}</span>;
}
