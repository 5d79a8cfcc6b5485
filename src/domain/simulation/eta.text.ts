import type { Eta, NoEta } from './forecast.ts';

/** One sentence for people, in UTC. */
export function etaText(eta: Eta | NoEta, now: number): string {
  if (typeof eta === 'string') return unknownTexts[eta];
  const isToday = dayOf(eta.p90) === dayOf(now);
  const instantText = (at: number): string => (isToday ? timeOf(at) : `${dayOf(at)} ${timeOf(at)}`);
  return `It is merged about ${instantText(eta.p50)}, by ${instantText(eta.p90)} UTC at the latest in 9 of 10.`;
}

const unknownTexts = {
  halted: 'When it is merged is not known while the queue is halted.',
  paused: 'When it is merged is not known while the queue is paused.',
  no_window: 'It is not merged before a merge window opens or a freeze ends, and when that is is not known.',
  no_build_history: 'When it is merged is not known before a build of this queue has ended.',
  too_far_back: 'When it is merged can be estimated as soon as it is further ahead in line.',
  likely_to_fail: 'It is more likely to be blocked than to be merged.',
} as const satisfies Record<NoEta, string>;

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}
