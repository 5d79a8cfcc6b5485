export { exportProofs, type ProofFile } from './file.ts';
export { readProofKeys } from './keys.ts';
export { signProofs } from './signing.ts';
