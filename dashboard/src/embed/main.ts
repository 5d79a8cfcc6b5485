// The page of an embed link. The key in its address also opens the stream of changes, at the address below.
import '../design/tokens.css';
import './embed.css';
import { draw, type Board } from './board.ts';

const redrawEveryMs = 20_000;

const into = document.querySelector<HTMLElement>('#board');
const { pathname, search } = location;
let board: Board | null = null;
let notLiveSince: number | null = null;
/** How far this machine's clock is ahead of the server's. */
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

const changes = new EventSource(`${pathname.replace(/\/$/, '')}/changes${search}`);
changes.addEventListener('message', ({ data }: MessageEvent<string>) => {
  const next = JSON.parse(data) as Board;
  // The server was upgraded, and this page is older than the server.
  if (board !== null && board.version !== next.version) return location.reload();
  board = next;
  aheadMs = Date.now() - Date.parse(next.at);
  notLiveSince = null;
  show();
});
changes.addEventListener('ended', () => {
  changes.close();
  board = null;
  showNotice('This link does not work any more', 'It has expired or was revoked. An admin makes a new one.');
});
changes.addEventListener('full', () => {
  changes.close();
  showNotice('Too many screens show this queue', 'Close one of them, then open this page again.');
});
changes.addEventListener('error', () => {
  notLiveSince ??= Date.now();
  show();
  // The browser tries again by itself, unless the server refused.
  if (changes.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), redrawEveryMs);
});
setInterval(show, redrawEveryMs);
