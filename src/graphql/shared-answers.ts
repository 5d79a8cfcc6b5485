// Answers that subscriptions share. An event reaches many subscriptions at the same time. Subscriptions of one caller
// that ask the same question need the same answer, so the answer is made once, and all of them are told one after
// another. Different callers never share an answer.
import type { Taker } from '../modules/events/index.ts';
import type { GraphQLContext } from './context.ts';

type Caller = GraphQLContext['loaders'];

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

/**
 * The returned function finds or makes an answer, and tells the taker, or rejects if the answer could not be made. It
 * returns before it calls the taker.
 */
export function createSharedAnswers(now = (): number => performance.now()) {
  const bySubject = new WeakMap<object, Map<Caller, Map<string, Answer<unknown>>>>();

  return <Value>({ subject, caller, question, make }: AnswerRequest<Value>, taker: Taker<Value>): void => {
    const byCaller = getOrAdd(bySubject, subject, () => new Map<Caller, Map<string, Answer<unknown>>>());
    const answers = getOrAdd(byCaller, caller, () => new Map<string, Answer<unknown>>());
    const known = answers.get(question) as Answer<Value> | undefined;
    if (known !== undefined && now() - known.madeAt < sharedForMs) return known.tell(taker);
    const answer = new Answer<Value>(now());
    answers.set(question, answer);
    answer.tell(taker);
    make().then(
      (value) => answer.settle((each) => each.resolve(value)),
      (error: unknown) => answer.settle((each) => each.reject(error)),
    );
  };
}

class Answer<Value> {
  readonly madeAt: number;
  private readonly waiting: Taker<Value>[] = [];
  /** Undefined: the answer is still being made. */
  private call: ((taker: Taker<Value>) => void) | undefined;

  constructor(madeAt: number) {
    this.madeAt = madeAt;
  }

  /** A callback costs a fraction of a promise, of which each subscription would need several for each event. */
  tell(taker: Taker<Value>): void {
    const { call } = this;
    if (call === undefined) this.waiting.push(taker);
    else queueMicrotask(() => call(taker));
  }

  settle(call: (taker: Taker<Value>) => void): void {
    this.call = call;
    for (const taker of this.waiting.splice(0)) call(taker);
  }
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
