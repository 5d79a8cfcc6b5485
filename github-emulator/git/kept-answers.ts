// Answers of git about objects, which never change: git is asked once. Starting git for each takes most of the emulator's
// time otherwise, because the payloads of all webhooks about a commit ask the same.

const mostKept = 5_000;

/** `ask` answers null where there may be another answer later, as of an object that is not there yet. */
type Recall = <Answer>(key: string, ask: () => Promise<Answer | null>) => Promise<Answer | null>;

export function createKeptAnswers(): Recall {
  const answers = new Map<string, Promise<unknown>>();
  return async <Answer>(key: string, ask: () => Promise<Answer | null>) => {
    const known = answers.get(key) as Promise<Answer | null> | undefined;
    if (known !== undefined) return await known;
    const asked = ask();
    answers.set(key, asked);
    for (const oldest of answers.keys()) {
      if (answers.size <= mostKept) break;
      answers.delete(oldest);
    }
    const answer = await asked.catch((error: unknown) => {
      answers.delete(key);
      throw error;
    });
    if (answer === null) answers.delete(key);
    return answer;
  };
}
