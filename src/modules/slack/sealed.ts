// The purposes for which an account's Slack secrets are encrypted. They cannot be decrypted for another account.

export function sealedToken(accountId: string): string {
  return `slack-token/${accountId}`;
}

export function sealedUrl(accountId: string): string {
  return `slack-webhook/${accountId}`;
}
