// Damaged streams of a model. A leaf ends with a report or with an error that has a message.
import { fc } from '../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { examples } from '../support/tier.ts';
import { anthropicMessages } from '../support/model-anthropic.ts';
import { openaiChat } from '../support/model-openai.ts';
import { modelServer, type ModelTurn } from '../support/model-server.ts';
import { agentOf, finish, leaf } from './model-story.ts';
import { testSession } from './session.ts';

const turns: readonly ModelTurn[] = [
  { text: ['I look', ' first.'], calls: [{ name: 'read_file', args: { path: 'greeting.txt' } }] },
  { calls: [{ name: 'write_file', args: { path: 'greeting.txt', content: 'good morning' } }] },
  { text: 'Done.', calls: [finish] },
];

const damage = fc.record({
  /** Which turn is damaged, and where in its bytes. */
  turn: fc.nat({ max: 5 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('cut', 'lose', 'repeat', 'replace'),
  length: fc.integer({ min: 1, max: 200 }),
  noise: fc.string({ maxLength: 40, unit: 'binary' }),
});

function damaged(
  bytes: string,
  { at, kind, length, noise }: { at: number; kind: string; length: number; noise: string },
) {
  const from = Math.floor(bytes.length * at);
  const piece = bytes.slice(from, from + length);
  if (kind === 'cut') return bytes.slice(0, from);
  const instead = kind === 'lose' ? '' : kind === 'repeat' ? piece + piece : noise;
  return bytes.slice(0, from) + instead + bytes.slice(from + length);
}

describe.each([
  { provider: 'openai-compatible', protocol: openaiChat },
  { provider: 'openai', protocol: openaiChat },
  { provider: 'anthropic', protocol: anthropicMessages },
] as const)('damaged streams of $provider', ({ provider, protocol }) => {
  it('end a leaf with a report or with an error that has a message', async () => {
    const ends = { reported: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
        let asked = 0;
        await using server = await modelServer((request, nth) => {
          asked = nth;
          const answers = request.messages.filter(({ role }) => role === 'tool').length;
          const whole = protocol.pieces(turns[Math.min(answers, 2)] ?? {}, request).join('');
          const bytes = damages.filter(({ turn }) => turn === nth - 1).reduce(damaged, whole);
          return { bytes };
        });
        await using session = await testSession({ files: { 'greeting.txt': 'hello' } });
        const limits = { retries: 0, firstTokenMs: 5_000, silenceMs: 5_000 };
        const ended = await agentOf(server, provider, limits)
          .work(leaf, session)
          .catch((error: unknown) => error as Error);

        if (ended instanceof Error) ends.failed += 1;
        else ends.reported += 1;
        expect(ended instanceof Error ? ended.message : ended.summary).not.toBe('');
        expect(server.refusals).toEqual([]);
        expect(asked).toBeLessThan(20);
      }),
      { numRuns: examples({ standard: 20, full: 200 }) },
    );
    // Most damage is noticed, and a second request repairs it.
    expect(ends.reported).toBeGreaterThan(ends.failed);
  });
});
