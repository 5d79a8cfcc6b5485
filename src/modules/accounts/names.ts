// The allowed names in an account.
import { DomainError } from '../../domain/errors.ts';

const nameLength = 100;
const emailLength = 254;
// GitHub's rule for handles. People may write an @ in front.
const handlePattern = /^[A-Za-z0-9](?:[A-Za-z0-9]|[-_.](?=[A-Za-z0-9])){0,38}$/;
const slugPattern = /^[a-z0-9](?:[a-z0-9]|[-_.](?=[a-z0-9])){0,99}$/;

export function checkedName(name: string, field: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > nameLength)
    throw new DomainError('BAD_INPUT', `${field} must have 1 to ${nameLength} characters`, field);
  return trimmed;
}

/** Returns the address in lower case, so that two spellings of an address are the same user. */
export function checkedEmail(email: string, field: string): string {
  const trimmed = email.trim();
  if (trimmed.length > emailLength || !/^[^\s@]+@[^\s@]+$/.test(trimmed))
    throw new DomainError('BAD_INPUT', `${field} must be an email address`, field);
  return trimmed.toLowerCase();
}

/** Returns null for null and for an empty text: no handle is linked. */
export function checkedHandle(handle: string | null, field: string): string | null {
  const bare = handle?.trim().replace(/^@/, '') ?? '';
  if (bare === '') return null;
  if (!handlePattern.test(bare)) {
    throw new DomainError(
      'BAD_INPUT',
      `${field} must be a handle on the code host: 1 to 39 letters and digits, with single hyphens, dots or underscores between them`,
      field,
    );
  }
  return bare;
}

export function checkedOrg(org: string, field: string): string {
  if (!handlePattern.test(org))
    throw new DomainError('BAD_INPUT', `${field} must be an organization on the code host`, field);
  return org;
}

export function checkedSlug(slug: string, field: string): string {
  if (!slugPattern.test(slug)) {
    throw new DomainError(
      'BAD_INPUT',
      `${field} must have 1 to 100 lower-case letters and digits, with single hyphens, dots or underscores between them`,
      field,
    );
  }
  return slug;
}
