import fc from 'fast-check';

/** The same cases wherever the tests run, so that a red run is about the change; `FC_SEED=$RANDOM` draws others. */
export const seed = Number(process.env['FC_SEED'] ?? 1);

fc.configureGlobal({ seed });

export { fc };
