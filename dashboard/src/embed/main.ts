// The page of an embed link. The key in the address of the page also opens the stream of changes.
import '../design/tokens.css';
import './embed.css';
import { draw, type Board } from './board.ts';

const redrawEveryMs = 20_000;
const retryEveryMs = 20_000;

const into = document.querySelector<HTMLElement>('#board');
const { pathname, search } = location;
let board: Board | null = null;
let notLiveSince: number | null = null;
/** How far the clock of this machine is ahead of the clock of the server. */
let aheadMs = 0;

function show(): void {
  if (into && board) draw(into, board, { notLiveSince, now: Date.now() - aheadMs });
}

function showNotice(title: string, sentence: string): void {
  const heading = document.createElement('h1');
  heading.textContent = title;
  const text = document.createElement('p');
  text.textContent = sentence;
  into?.replaceChildren(heading, text);
}

let isReloading = false;

/**
 * Loads the page again when a server answers, if only to say that the link is over. While no server answers, the browser
 * would load an error page of its own, which never goes away.
 */
async function reload(): Promise<void> {
  if (isReloading) return;
  isReloading = true;
  const noAnswer = new AbortController();
  setTimeout(() => noAnswer.abort(), retryEveryMs);
  const answer = await fetch(location.href, { signal: noAnswer.signal }).catch(() => null);
  if (answer !== null && (answer.ok || answer.status === 404)) return location.reload();
  isReloading = false;
  setTimeout(() => void reload(), retryEveryMs);
}

const changes = new EventSource(`${pathname.replace(/\/$/, '')}/changes${search}`);
changes.addEventListener('message', ({ data }: MessageEvent<string>) => {
  const next = JSON.parse(data) as Board;
  // The server was upgraded, and this page is older than the server.
  if (board !== null && board.version !== next.version) return void reload();
  board = next;
  aheadMs = Date.now() - Date.parse(next.at);
  notLiveSince = null;
  show();
});
changes.addEventListener('ended', () => {
  changes.close();
  board = null;
  showNotice('This link does not work any more', 'The link has expired or was revoked. An admin can make a new link.');
});
changes.addEventListener('full', () => {
  changes.close();
  board = null;
  showNotice(
    'Too many screens show this queue',
    'Close one of the screens. This page then shows the queue within half a minute.',
  );
  setTimeout(() => void reload(), retryEveryMs);
});
changes.addEventListener('error', () => {
  notLiveSince ??= Date.now();
  show();
  // The browser connects again by itself, except if the server refused the connection.
  if (changes.readyState === EventSource.CLOSED) setTimeout(() => void reload(), retryEveryMs);
});
setInterval(show, redrawEveryMs);
