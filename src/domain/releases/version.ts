// The name of a release candidate (interface 2.11): `<release version>-rc<number>`.
import { DomainError } from '../errors.ts';

export interface CandidateVersion {
  readonly release: string;
  readonly number: number;
}

const longest = 200;
const pattern = /^([^/\s]+)-rc(0|[1-9]\d{0,8})$/;

/** Reads the version of a candidate. Null: the text is no such version. */
export function parseVersion(text: string): CandidateVersion | null {
  const [, release, number] = (text.length <= longest && pattern.exec(text)) || [];
  return release === undefined || number === undefined ? null : { release, number: Number(number) };
}

export function requireVersion(text: string): CandidateVersion {
  const version = parseVersion(text);
  if (version === null) throw new DomainError('BAD_INPUT', 'Invalid release candidate version', 'input.version');
  return version;
}
