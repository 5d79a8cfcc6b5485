import fc from 'fast-check';

/**
 * The seed is the same in every run, so that a test turns red only because of a change. `FC_SEED=$RANDOM` draws other
 * cases.
 */
export const seed = Number(process.env['FC_SEED'] ?? 1);

fc.configureGlobal({ seed });

export { fc };
