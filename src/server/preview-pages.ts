// The pages that a browser gets if a preview cannot be shown. They reveal nothing about apps, addresses or rows.

export interface PreviewProblem {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly retryAfterSec?: number;
}

export const previewProblems = {
  unknown: { status: 404, title: 'No such preview', message: 'There is no preview at this address.' },
  gone: {
    status: 410,
    title: 'This preview has ended',
    message:
      'A preview ends with its verification, or when its time is over. Push a commit, or request another verification.',
  },
  starting: {
    status: 503,
    title: 'This preview is starting',
    message: 'The setup script of the preview has not ended, or the port of the app does not accept connections yet.',
    retryAfterSec: 2,
  },
  busy: {
    status: 503,
    title: 'This preview is busy',
    message: 'The preview answers too many requests at once.',
    retryAfterSec: 1,
  },
  unreachable: {
    status: 502,
    title: 'The app does not answer',
    message: 'The preview runs, but its app accepted no connection, or closed the connection.',
    retryAfterSec: 2,
  },
  late: { status: 504, title: 'The app does not answer', message: 'The app took too long to answer.' },
  large: { status: 413, title: 'Too large', message: 'A request to a preview has 100 MiB at most.' },
  notSupported: { status: 501, title: 'Not supported', message: 'A preview upgrades connections only to WebSocket.' },
} as const satisfies Readonly<Record<string, PreviewProblem>>;

export function pageOf({ title, message, retryAfterSec }: PreviewProblem): string {
  const again = retryAfterSec === undefined ? '' : `<meta http-equiv="refresh" content="${retryAfterSec}">`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${again}</head><body><h1>${title}</h1><p>${message}</p></body></html>\n`;
}

export function headersOf(problem: PreviewProblem, page: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(page)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
    connection: 'close',
    ...(problem.retryAfterSec !== undefined && { 'retry-after': String(problem.retryAfterSec) }),
  };
}
