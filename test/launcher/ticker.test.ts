import { expect, test } from 'vitest';
import { createTicker } from '../../src/launcher/ticker.ts';

function ticking(isTTY: boolean): {
  readonly written: string[];
  readonly showAt: (ms: number) => void;
  readonly end: () => void;
} {
  const written: string[] = [];
  let clock = 0;
  const ticker = createTicker({ isTTY, write: (text) => written.push(text) }, () => clock);
  const showAt = (ms: number): void => {
    clock = ms;
    ticker.show(`at ${ms}`);
  };
  return { written, showAt, end: ticker.end };
}

test('on a terminal the state is one line that is written again, at most ten times a second', () => {
  const { written, showAt, end } = ticking(true);
  for (const ms of [0, 50, 120, 130, 250]) showAt(ms);
  end();
  expect(written).toEqual(['\r\u001B[Kat 0', '\r\u001B[Kat 120', '\r\u001B[Kat 250', '\r\u001B[K']);
});

test('anywhere else a state is a line, at most every ten seconds, and quick work shows none', () => {
  const { written, showAt, end } = ticking(false);
  for (const ms of [0, 9_000, 10_000, 15_000, 20_000]) showAt(ms);
  end();
  expect(written).toEqual(['at 10000\n', 'at 20000\n']);
});
