// The life of one verification: read the configuration, boot the preview or wait for one, drive it, judge, and tear it
// down. The row says what is needed next, so that a lost or doubled run changes nothing.
import { drivenBy, type DrivenResult } from '../shared/driven.ts';
import { verificationAttributes } from '../shared/search-attributes.ts';
import { verificationLookSignal, type VerificationInput } from './messages.ts';

const drive = drivenBy('Verification', {
  signal: verificationLookSignal,
  attributes: verificationAttributes,
  // A red verdict is a result and not a failure of the run.
  failures: ['error'],
});

export async function verification(input: VerificationInput): Promise<DrivenResult> {
  return await drive(input);
}
