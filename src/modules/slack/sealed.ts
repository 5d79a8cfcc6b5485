// What the secrets of an account's Slack are sealed for: they open for no other account.

export function sealedToken(accountId: string): string {
  return `slack-token/${accountId}`;
}

export function sealedUrl(accountId: string): string {
  return `slack-webhook/${accountId}`;
}
