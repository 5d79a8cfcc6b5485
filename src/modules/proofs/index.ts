export { exportProofs, writeProofFile, type ProofFile } from './file.ts';
export { readProofKeys } from './keys.ts';
export { proofsAreDue, signProofs } from './signing.ts';
