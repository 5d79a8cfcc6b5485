// The workflow of a verification: read the configuration, start the preview or wait for it, carry out the steps, judge,
// and stop the preview. The row says what is needed next, so that a run that is lost or started twice changes nothing.
import { drivenWorkflow, type DrivenResult } from '../shared/driven.ts';
import { verificationAttributes } from '../shared/search-attributes.ts';
import { verificationLookSignal, type VerificationInput } from './messages.ts';

const drive = drivenWorkflow('Verification', {
  signal: verificationLookSignal,
  attributes: verificationAttributes,
  // A red verdict is a result, and not a failure of the run.
  failures: ['error'],
});

export async function verification(input: VerificationInput): Promise<DrivenResult> {
  return await drive(input);
}
