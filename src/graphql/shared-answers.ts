// Answers that subscriptions share. An event reaches many subscriptions at the same time. Subscriptions of one caller
// that ask the same question need the same answer, so the answer is made once. Different callers never share an answer.
import type { GraphQLContext } from './context.ts';

type Caller = GraphQLContext['loaders'];

interface Answer<Value> {
  readonly madeAt: number;
  readonly value: Promise<Value>;
}

export interface AnswerRequest<Value> {
  /** What the answer is about: an event, or the payload of an event. The answers last no longer than this object. */
  readonly subject: object;
  /** The loaders of the caller. Only subscriptions with the same caller and the same rights have the same loaders. */
  readonly caller: Caller;
  /** What is asked about the subject. */
  readonly question: string;
  readonly make: () => Promise<Value>;
}

/**
 * An answer is shared for this long. A subscription that asks later gets a new answer, from the rows of that moment.
 */
const sharedForMs = 1_000;

/** The returned function finds or makes an answer. The promise rejects if the answer could not be made. */
export function createSharedAnswers(now = (): number => performance.now()) {
  const bySubject = new WeakMap<object, Map<Caller, Map<string, Answer<unknown>>>>();

  return async <Value>({ subject, caller, question, make }: AnswerRequest<Value>): Promise<Value> => {
    const byCaller = getOrAdd(bySubject, subject, () => new Map<Caller, Map<string, Answer<unknown>>>());
    const answers = getOrAdd(byCaller, caller, () => new Map<string, Answer<unknown>>());
    const known = answers.get(question);
    if (known !== undefined && now() - known.madeAt < sharedForMs) return await (known.value as Promise<Value>);
    const value = make();
    answers.set(question, { madeAt: now(), value });
    return await value;
  };
}

interface Store<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

function getOrAdd<Key, Value>(store: Store<Key, Value>, key: Key, add: () => Value): Value {
  const known = store.get(key);
  if (known !== undefined) return known;
  const added = add();
  store.set(key, added);
  return added;
}
