// The build of one release candidate: trigger its provider, hear how it goes, ready or failed. The row says what is
// needed next, so that a lost or doubled run changes nothing.
import { drivenBy, type DrivenResult } from '../shared/driven.ts';
import { buildAttributes } from '../shared/search-attributes.ts';
import { buildLookSignal, type BuildInput } from './messages.ts';

const drive = drivenBy('Build', { signal: buildLookSignal, attributes: buildAttributes, failures: ['failed'] });

export async function build(input: BuildInput): Promise<DrivenResult> {
  return await drive(input);
}
