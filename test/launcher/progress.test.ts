import { expect, test } from 'vitest';
import { createProgress } from '../../src/launcher/progress.ts';

test('each part is printed with its time when it is ready, and also if it failed', async () => {
  const said: string[] = [];
  let clock = 0;
  const progress = createProgress(
    (line) => said.push(line),
    () => clock,
  );
  const result = await progress.part('PostgreSQL', async () => {
    clock += 840;
    return 5432;
  });
  const failure = progress.part('Temporal', async () => {
    clock += 1200;
    throw new Error('no binary');
  });
  await expect(failure).rejects.toThrow('no binary');
  expect(result).toBe(5432);
  expect(said).toEqual(['PostgreSQL … 0.8 s', 'Temporal … failed after 1.2 s']);
});
