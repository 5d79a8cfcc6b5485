// The purposes for which an account's Slack secrets are encrypted. A secret cannot be decrypted for another account.

export function tokenPurpose(accountId: string): string {
  return `slack-token/${accountId}`;
}

export function webhookUrlPurpose(accountId: string): string {
  return `slack-webhook/${accountId}`;
}
