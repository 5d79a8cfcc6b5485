// The answers that attempts at an endpoint wait for. Outcomes are written when all of these answers have arrived, so that
// one statement writes them and one statement takes the next deliveries. A slow answer delays the others only a little.

/** For how long an outcome waits for the answers of other attempts. */
const gatherMs = 20;

interface Awaited {
  count: number;
  onLast: () => void;
}

export interface AwaitedAnswers {
  /** Begins to wait for an answer of the endpoint. The returned function must be called once, when it has arrived. */
  expect(endpointId: string): () => void;
  /** Resolves when no answer of the endpoint is awaited, or after a few milliseconds. */
  readonly gather: (endpointId: string) => Promise<void>;
}

export function createAwaitedAnswers(): AwaitedAnswers {
  const endpoints = new Map<string, Awaited>();
  return {
    expect(endpointId) {
      const awaited = endpoints.get(endpointId) ?? { count: 0, onLast: () => {} };
      awaited.count += 1;
      endpoints.set(endpointId, awaited);
      return () => {
        awaited.count -= 1;
        if (awaited.count > 0) return;
        endpoints.delete(endpointId);
        awaited.onLast();
      };
    },
    gather: async (endpointId) => {
      const awaited = endpoints.get(endpointId);
      if (awaited === undefined) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, gatherMs);
        awaited.onLast = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
