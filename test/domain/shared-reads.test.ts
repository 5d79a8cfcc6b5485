// Reads that many callers share. No answer is older than its question.
import { describe, expect, it } from 'vitest';
import { SharedReads } from '../../src/platform/shared-reads.ts';

/** A source that answers each read when the test says so. */
function source() {
  const reads: PromiseWithResolvers<string>[] = [];
  const shared = new SharedReads<string>();
  return {
    reads,
    ask: async (key = 'queue'): Promise<string> =>
      await shared.read(key, async () => {
        const read = Promise.withResolvers<string>();
        reads.push(read);
        return await read.promise;
      }),
  };
}

describe('a shared read', () => {
  it('answers all callers during another read with a read that began after their calls', async () => {
    const { reads, ask } = source();
    const first = ask();
    const later = [ask(), ask(), ask()];
    expect(reads).toHaveLength(1);
    reads[0]?.resolve('old');
    expect(await first).toBe('old');
    await expect.poll(() => reads.length).toBe(2);
    const last = ask();
    reads[1]?.resolve('new');
    expect(await Promise.all(later)).toEqual(['new', 'new', 'new']);
    await expect.poll(() => reads.length).toBe(3);
    reads[2]?.resolve('newest');
    expect(await last).toBe('newest');
  });

  it('fails for all who share it, and the next read is made', async () => {
    const { reads, ask } = source();
    const first = ask();
    const later = ask();
    reads[0]?.reject(new Error('The connection was lost.'));
    await expect(first).rejects.toThrow('The connection was lost.');
    await expect.poll(() => reads.length).toBe(2);
    reads[1]?.resolve('read');
    expect(await later).toBe('read');
  });

  it('does not wait for reads of another key, and stores nothing', async () => {
    const { reads, ask } = source();
    const one = ask('one');
    const other = ask('other');
    expect(reads).toHaveLength(2);
    for (const read of reads) read.resolve('read');
    await Promise.all([one, other]);
    const again = ask('one');
    expect(reads).toHaveLength(3);
    reads[2]?.resolve('read again');
    expect(await again).toBe('read again');
  });
});
