// The life of one verification: read what governs it, boot its preview or wait for one, drive it, judge, tear it down.
// The row says what is needed next, so that a lost or doubled run changes nothing.
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { driveByRows, type DrivenResult } from '../shared/driven.ts';
import { locallyFirst } from '../shared/locally-first.ts';
import { verificationAttributes } from '../shared/search-attributes.ts';
import { attendance, providerCall, turn, turnLocally } from '../shared/timeouts.ts';
import type { VerificationActivities } from './activities.ts';
import { verificationLookSignal, type VerificationInput } from './messages.ts';

const advance = locallyFirst(
  proxyLocalActivities<VerificationActivities>(turnLocally).advanceVerification,
  proxyActivities<VerificationActivities>(turn).advanceVerification,
);
const { carryOutVerification } = proxyActivities<VerificationActivities>(providerCall);
const { carryOutVerification: attendTo } = proxyActivities<VerificationActivities>(attendance);

export async function verification(input: VerificationInput): Promise<DrivenResult> {
  return await driveByRows(input, {
    signal: verificationLookSignal,
    advance,
    carryOut: carryOutVerification,
    attendTo,
    attributes: verificationAttributes,
  });
}
